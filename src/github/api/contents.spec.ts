import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  startFakeGitHubGateway,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import type { SeenRequest } from '../../../test/support/fake-http-server.js';

const FILE = 'GET /repos/acme/app/contents/sdlc.yaml';
const HEAD = 'GET /repos/acme/app/git/ref/heads%2Fmain';
const NOT_FOUND = { status: 404, json: { message: 'Not Found' } };
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

/** Answers under an ETag of the commit, as GitHub does. */
const pointsTo =
  (sha: string) =>
  ({ headers }: SeenRequest): object =>
    headers['if-none-match'] === `"${sha}"`
      ? { status: 304 }
      : { json: { ref: 'refs/heads/main', object: { sha, type: 'commit' } }, headers: { etag: `"${sha}"` } };
const file = (text: string): object => ({
  json: { type: 'file', size: text.length, encoding: 'base64', content: btoa(text), sha: 'c'.repeat(40) },
});

describe('a missing file', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    fake.server.on('GET /repos/acme/app', ({ headers }) =>
      headers['if-none-match'] === '"app"' ? { status: 304 } : { json: repositoryJson(), headers: { etag: '"app"' } },
    );
    fake.server.on(HEAD, pointsTo(A));
    fake.server.on(FILE, NOT_FOUND);
  });
  afterEach(() => fake.server.stop());

  const read = async (gitRef = 'main'): Promise<string | null> =>
    (await fake.github.repositories.file(APP, 'sdlc.yaml', gitRef)).value?.text ?? null;
  const requested = (): readonly (string | null)[] => fake.server.calls(FILE).map(({ query }) => query.get('ref'));

  it('is not requested again while the branch points to the commit without the file', async () => {
    await read();
    await read();
    expect(requested()).toEqual(['main', A]);
    fake.clock.advance(90_000);
    await expect(fake.github.repositories.file(APP, 'sdlc.yaml', 'main')).resolves.toEqual({
      value: null,
      observedAt: fake.clock.now(),
    });
    expect(requested()).toEqual(['main', A]);
    expect(fake.server.calls(HEAD).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, `"${A}"`]);
  });

  it('is found in the commit that adds it, and then at the branch', async () => {
    await read();
    await read();
    fake.server.on(HEAD, pointsTo(B));
    fake.server.on(FILE, ({ query }) => (query.get('ref') === A ? NOT_FOUND : file('version: v1')));
    await expect(read()).resolves.toBe('version: v1');
    await expect(read()).resolves.toBe('version: v1');
    expect(requested()).toEqual(['main', A, B, 'main']);
  });

  it('is read at the commit of the first request, although the branch moves meanwhile', async () => {
    await read();
    // B adds the file, and the branch moves to B between the two requests.
    fake.server.on(FILE, ({ query }) => (query.get('ref') === A ? NOT_FOUND : file('version: v1')));
    await expect(read()).resolves.toBeNull();
    fake.server.on(HEAD, pointsTo(B));
    await expect(read()).resolves.toBe('version: v1');
  });

  it.each([
    ['there is no such branch', NOT_FOUND],
    ['the repository is empty', { status: 409, json: { message: 'Git Repository is empty.' } }],
  ])('is requested each time if %s', async (_, reply) => {
    fake.server.on(HEAD, reply);
    await read();
    await read();
    fake.server.on(FILE, file('version: v1'));
    await expect(read()).resolves.toBe('version: v1');
    expect(requested()).toEqual(['main', 'main', 'main']);
  });

  it('is unknown if GitHub does not return the head of the branch', async () => {
    await read();
    await read();
    fake.server.on(HEAD, { status: 502 });
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is read at a commit without a request for branches', async () => {
    await read(A);
    await read(A);
    expect(requested()).toEqual([A, A]);
    expect(fake.server.calls(HEAD)).toEqual([]);
  });

  it('is cached separately as a file and as a folder, and for each path and branch', async () => {
    await read();
    await read();
    fake.server.on(FILE, file('version: v1'));
    await expect(read('develop')).resolves.toBe('version: v1');
    fake.server.on('GET /repos/acme/app/contents/other.yaml', file('other'));
    await expect(fake.github.repositories.file(APP, 'other.yaml', 'main')).resolves.toMatchObject({
      value: { text: 'other' },
    });
    const entry = { name: 'a.yml', type: 'file', sha: 'c'.repeat(40) };
    fake.server.on(FILE, { json: [entry] });
    await expect(fake.github.repositories.folder(APP, 'sdlc.yaml', 'main')).resolves.toMatchObject({
      value: [{ name: 'a.yml' }],
    });
    await expect(read()).resolves.toBeNull();
  });
});
