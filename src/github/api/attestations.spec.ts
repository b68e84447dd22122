import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import type { Reply } from '../../../test/support/fake-http-server.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const LIST = `GET /repos/acme/app/attestations/${encodeURIComponent(DIGEST)}`;
const REFUSED = { status: 403, json: { message: 'Resource not accessible by integration' } };
const READ = { attestations: 'read' };

describe('Attestations', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  /** GitHub issues tokens with these permissions, one after the other. */
  const grant = (...permissions: readonly Readonly<Record<string, string>>[]): void => {
    const tokens = permissions.map((granted, index): Reply => {
      const expires = new Date(fake.clock.now().getTime() + 3_600_000).toISOString();
      return { status: 201, json: { token: `token-${index}`, expires_at: expires, permissions: granted } };
    });
    fake.server.on(TOKEN_ROUTE, ...tokens);
  };
  const list = async () => (await fake.github.attestations.listProvenances(APP, DIGEST)).value;

  it('reads bundles, and the addresses of those that are elsewhere, from at most two pages', async () => {
    grant(READ);
    fake.server.on(LIST, ({ query }) => {
      const page = Number(query.get('page') ?? 1);
      return {
        headers: {
          link: `<${fake.server.url}/repos/acme/app/attestations/${encodeURIComponent(DIGEST)}?page=${page + 1}>; rel="next"`,
        },
        json: {
          attestations: [
            { bundle: { page }, bundle_url: 'https://storage.test/1', repository_id: 101 },
            { bundle: null, bundle_url: 'https://storage.test/2', repository_id: 101 },
          ],
        },
      };
    });
    const apart = { bundle: null, bundleUrl: 'https://storage.test/2' };
    expect(await list()).toEqual([
      { bundle: { page: 1 }, bundleUrl: 'https://storage.test/1' },
      apart,
      { bundle: { page: 2 }, bundleUrl: 'https://storage.test/1' },
      apart,
    ]);
    expect(fake.server.calls(LIST)[0]?.query.get('predicate_type')).toBe('provenance');
  });

  it('asks nothing without the permission', async () => {
    grant({ contents: 'read' });
    expect(await list()).toBeNull();
    expect(fake.server.calls(LIST)).toEqual([]);
  });

  it('lists null after a 403 if a new token lacks the permission', async () => {
    grant(READ, { contents: 'read' });
    fake.server.on(LIST, REFUSED);
    expect(await list()).toBeNull();
  });

  it('fails after a 403 if a new token has the permission', async () => {
    grant(READ);
    fake.server.on(LIST, REFUSED);
    await expect(list()).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('lists none after a 404 if the repository can be read, and fails otherwise', async () => {
    grant(READ);
    expect(await list()).toEqual([]);
    fake.server.on('GET /repos/acme/app', { status: 404, json: { message: 'Not Found' } });
    await expect(list()).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each([{}, { attestations: null }, { attestations: [{ bundle: 'text' }] }])(
    'rejects %j as malformed',
    async (json) => {
      grant(READ);
      fake.server.on(LIST, { json });
      await expect(list()).rejects.toMatchObject({ kind: 'malformed' });
    },
  );
});
