import { createPublicKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import {
  APP,
  PRIVATE_KEY,
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import type { Reply, SeenRequest } from '../../../test/support/fake-http-server.js';

const MILESTONES = 'GET /repos/acme/app/milestones';
const TEAM = 'GET /orgs/acme/teams/release-managers/members';
const APP_JSON = { id: 42, slug: 'shipgate', name: 'Shipgate', html_url: 'https://github.test/apps/shipgate' };

const bearers = (requests: readonly SeenRequest[]): readonly (string | undefined)[] =>
  requests.map(({ headers }) => headers.authorization);

describe('GitHubClient', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  describe('as the app', () => {
    it.each([
      [{}, '42'],
      [{ clientId: 'Iv23.client' }, 'Iv23.client'],
    ])('signs for itself with %p', async (settings, issuer) => {
      const { server: host, github, clock } = await startFakeGitHubGateway(settings);
      host.on('GET /app', { json: APP_JSON });
      await expect(github.installations.app()).resolves.toMatchObject({ value: { id: 42, slug: 'shipgate' } });
      const jwt = host.seen[0]?.headers.authorization?.replace('Bearer ', '') ?? '';
      const { payload } = await jwtVerify(jwt, createPublicKey(PRIVATE_KEY), {
        algorithms: ['RS256'],
        currentDate: clock.now(),
      });
      const now = clock.now().getTime() / 1000;
      expect(payload).toEqual({ iss: issuer, iat: now - 60, exp: now + 540 });
      await host.stop();
    });
  });

  it('rejects an invalid private key without printing it', async () => {
    const { server: host, github } = await startFakeGitHubGateway({ privateKey: 'not a key' });
    await expect(github.installations.app()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: "the app's private key cannot be read",
    });
    expect(host.seen).toEqual([]);
    await host.stop();
  });

  describe('tokens', () => {
    it('limits the token of a repository call to the id, and does not limit that of an organization call', async () => {
      const { server: host, github } = fake;
      host.on(MILESTONES, { json: [] });
      host.on(TEAM, { json: [] });
      await github.milestones.list(APP);
      await github.teams.members(7, 'acme', 'release-managers');
      expect(host.calls(TOKEN_ROUTE).map(({ body }) => body)).toEqual(['{"repository_ids":[101]}', '']);
      expect(bearers(host.calls(MILESTONES))).toEqual(['Bearer token-1']);
      expect(bearers(host.calls(TEAM))).toEqual(['Bearer token-2']);
    });

    it('caches a token until five minutes before it expires', async () => {
      const { server: host, github, clock } = fake;
      host.on(MILESTONES, { json: [] });
      await github.milestones.list(APP);
      clock.advance(55 * 60_000 - 1);
      await github.milestones.list(APP);
      expect(host.calls(TOKEN_ROUTE)).toHaveLength(1);
      clock.advance(1);
      await github.milestones.list(APP);
      expect(bearers(host.calls(MILESTONES))).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    });

    it('creates one token for calls that begin together', async () => {
      const { server: host, github } = fake;
      host.on(MILESTONES, { json: [] });
      await Promise.all(Array.from({ length: 5 }, () => github.milestones.list(APP)));
      expect(host.calls(TOKEN_ROUTE)).toHaveLength(1);
      expect(host.calls('GET /repos/acme/app')).toHaveLength(1);
    });

    it('creates one token of an installation for calls that begin together', async () => {
      const { server: host, github } = fake;
      host.on(TEAM, { json: [] });
      await Promise.all(Array.from({ length: 5 }, () => github.teams.members(7, 'acme', 'release-managers')));
      expect(host.calls(TOKEN_ROUTE)).toHaveLength(1);
    });

    it('never returns to one installation the response of another', async () => {
      const { server: host, github } = fake;
      const token = { token: 'token-of-8', expires_at: '2026-05-04T11:00:00Z' };
      host.on('POST /app/installations/8/access_tokens', { status: 201, json: token });
      host.on(TEAM, { json: [{ id: 5 }], headers: { etag: '"one"' } });
      await github.teams.members(7, 'acme', 'release-managers');
      await github.teams.members(8, 'acme', 'release-managers');
      expect(host.calls(TEAM).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined]);
    });

    it('tries once more with a new token if one is rejected', async () => {
      const { server: host, github } = fake;
      const revoked = ({ headers }: SeenRequest): Reply =>
        headers.authorization === 'Bearer token-1'
          ? { status: 401, json: { message: 'Bad credentials' } }
          : { json: [] };
      host.on(TEAM, revoked);
      await expect(github.teams.members(7, 'acme', 'release-managers')).resolves.toMatchObject({
        value: { exists: true, userIds: [] },
      });
      expect(bearers(host.calls(TEAM))).toEqual(['Bearer token-1', 'Bearer token-2']);
    });

    it('gives up if the new token is rejected as well', async () => {
      const { server: host, github } = fake;
      host.on(TEAM, { status: 401, json: { message: 'Bad credentials' } });
      await expect(github.teams.members(7, 'acme', 'release-managers')).rejects.toMatchObject({ kind: 'unauthorized' });
      expect(host.calls(TEAM)).toHaveLength(2);
    });

    it('never includes a token or a key in an error', async () => {
      const { server: host, github } = fake;
      host.on(TEAM, { status: 403, json: { message: 'Resource not accessible\nby integration' } });
      const failure: unknown = await github.teams
        .members(7, 'acme', 'release-managers')
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({
        kind: 'forbidden',
        message: `${TEAM}: 403 Resource not accessible by integration`,
      });
    });

    it.each([
      ['unauthorized', 404],
      ['forbidden', 403],
    ])('reports %s of an installation that is gone or suspended (%d)', async (kind, status) => {
      fake.server.on(TOKEN_ROUTE, { status, json: { message: 'No' } });
      await expect(fake.github.teams.members(7, 'acme', 'release-managers')).rejects.toMatchObject({ kind });
      await expect(fake.github.repositories.find(APP)).rejects.toMatchObject({ kind });
    });

    it.each([
      ['no token', { expires_at: '2026-05-04T11:00:00Z' }],
      ['no date', { token: 'token-1', expires_at: 'soon' }],
    ])('rejects %s in the place of a token', async (_, json) => {
      fake.server.on(TOKEN_ROUTE, { status: 201, json });
      await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  describe('pages', () => {
    const member = (id: number): object => ({ id });
    const pageOf = (pages: readonly (readonly object[])[]) => (request: SeenRequest) => {
      const page = Number(request.query.get('page') ?? '1');
      const next = `<${fake.server.url}/orgs/acme/teams/release-managers/members?per_page=100&page=${page + 1}>; rel="next"`;
      return { json: pages[page - 1] ?? [], headers: page < pages.length ? { link: next } : {} };
    };
    const members = () => fake.github.teams.members(7, 'acme', 'release-managers');

    it('reads all pages twice, so that no item that moved between pages is missed', async () => {
      fake.server.on(TEAM, pageOf([[member(1), member(2)], [member(3)], [member(4)]]));
      await expect(members()).resolves.toMatchObject({ value: { userIds: [1, 2, 3, 4] } });
      expect(fake.server.calls(TEAM)).toHaveLength(6);
    });

    it('returns the time before the first page was requested', async () => {
      const { server: host, clock } = fake;
      const begun = clock.now();
      const pages = pageOf([[member(1)], [member(2)]]);
      host.on(TEAM, (request) => {
        clock.advance(5_000);
        return pages(request);
      });
      await expect(members()).resolves.toMatchObject({ observedAt: begun });
    });

    it('reads a list of one page once', async () => {
      fake.server.on(TEAM, pageOf([[member(1)]]));
      await members();
      expect(fake.server.calls(TEAM)).toHaveLength(1);
    });

    it('finds an item that a removal moved to another page during the read', async () => {
      const before = [[member(1), member(2)], [member(3)]];
      const after = [[member(2), member(3)]];
      fake.server.on(TEAM, pageOf(before), () => ({ json: [] }), pageOf(after));
      await expect(members()).resolves.toMatchObject({ value: { userIds: [2, 3] } });
    });

    it('gives up on a list that always changes', async () => {
      let count = 0;
      fake.server.on(TEAM, (request) => pageOf([[member((count += 1))], [member(0)]])(request));
      await expect(members()).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('rejects a list without an end', async () => {
      fake.server.on(TEAM, (request) => ({ ...pageOf(Array.from({ length: 1000 }, () => [member(1)]))(request) }));
      await expect(members()).rejects.toMatchObject({ kind: 'malformed' });
      expect(fake.server.calls(TEAM)).toHaveLength(101);
    });

    it('does not treat a 409 as an empty list', async () => {
      fake.server.on(TEAM, { status: 409, json: { message: 'Git Repository is empty.' } });
      await expect(members()).rejects.toMatchObject({ kind: 'conflict', status: 409 });
    });

    it('does not treat an error of a later page as the end of the list', async () => {
      const first = pageOf([[member(1)], [member(2)]]);
      fake.server.on(TEAM, (request) => (request.query.has('page') ? { status: 409, json: {} } : first(request)));
      await expect(members()).rejects.toMatchObject({ kind: 'conflict' });
    });

    it('requests the next page at the address that GitHub returned, in any form', async () => {
      const next = `${fake.server.url}/orgs/acme/teams/release-managers/members?after=a:bc{d}&per_page=100`;
      fake.server.on(TEAM, ({ query }) =>
        query.has('after') ? { json: [member(2)] } : { json: [member(1)], headers: { link: `<${next}>; rel="next"` } },
      );
      await expect(members()).resolves.toMatchObject({ value: { userIds: [1, 2] } });
      expect(fake.server.calls(TEAM)[1]?.query.get('after')).toBe('a:bc{d}');
    });

    it('requests no next page from another host', async () => {
      const headers = { link: '<https://elsewhere.test/page2>; rel="next"' };
      fake.server.on(TEAM, { json: [], headers });
      await expect(members()).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  it.each(['..', '.', ''])('rejects a parameter of %p, which would lead to another route', async (login) => {
    await expect(fake.github.repositories.permission(APP, login)).rejects.toMatchObject({ kind: 'invalid' });
    expect(fake.server.calls('GET /repos/acme/app/permission')).toEqual([]);
  });

  it('sends the API version, its name and the accepted type', async () => {
    fake.server.on(TEAM, { json: [] });
    await fake.github.teams.members(7, 'acme', 'release-managers');
    expect(fake.server.calls(TEAM)[0]?.headers).toMatchObject({
      accept: 'application/vnd.github+json',
      'user-agent': 'shipgate',
      'x-github-api-version': '2022-11-28',
    });
  });
});
