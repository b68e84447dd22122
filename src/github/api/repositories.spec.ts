import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  startFakeGitHubGateway,
  type FakeGitHubGateway,
  repositoryJson,
} from '../../../test/support/fake-github-gateway.js';
import type { SeenRequest } from '../../../test/support/fake-http-server.js';

const FILE = 'GET /repos/acme/app/contents/.github%2Fworkflows%2Fci.yml';
const PERMISSION = 'GET /repos/acme/app/collaborators/ada/permission';
const NOT_FOUND = { status: 404, json: { message: 'Not Found' } };

describe('Repositories', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  it('describes a repository under its current name on GitHub', async () => {
    await expect(fake.github.repositories.find(APP)).resolves.toEqual({
      observedAt: fake.clock.now(),
      value: {
        id: 101,
        name: 'app',
        owner: 'acme',
        ownerId: 11,
        private: true,
        defaultBranch: 'main',
        archived: false,
        url: 'https://github.test/acme/app',
        rights: null,
      },
    });
  });

  describe('file', () => {
    const file = () => fake.github.repositories.file(APP, '.github/workflows/ci.yml', 'main');
    const content = (text: string): object => ({
      type: 'file',
      size: Buffer.byteLength(text),
      encoding: 'base64',
      // GitHub wraps its base64 into lines.
      content: Buffer.from(text)
        .toString('base64')
        .replaceAll(/(.{60})/g, '$1\n'),
      sha: 'b'.repeat(40),
    });

    it('reads the text at the ref', async () => {
      const text = `name: CI\n# ${'é'.repeat(100)}\n`;
      fake.server.on(FILE, { json: content(text) });
      await expect(file()).resolves.toMatchObject({ value: { text, blobSha: 'b'.repeat(40) } });
      expect(fake.server.calls(FILE)[0]?.query.get('ref')).toBe('main');
    });

    it.each([
      ['nothing', NOT_FOUND],
      ['a folder', { json: [{ type: 'file' }] }],
      ['a submodule', { json: { type: 'submodule' } }],
    ])('finds no file for %s', async (_, reply) => {
      fake.server.on(FILE, reply);
      await expect(file()).resolves.toMatchObject({ value: null });
    });

    it('rejects a file over 1 MB, whose text GitHub omits', async () => {
      fake.server.on(FILE, { json: { type: 'file', size: 1_048_577, encoding: 'none', content: '', sha: 'b' } });
      await expect(file()).rejects.toMatchObject({ kind: 'invalid' });
    });

    it('rejects a text that it cannot decode', async () => {
      fake.server.on(FILE, { json: { type: 'file', size: 10, encoding: 'none', content: '', sha: 'b' } });
      await expect(file()).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  describe('permission', () => {
    it.each([
      ['admin', 'admin', 'admin'],
      ['write', 'maintain', 'maintain'],
      ['write', 'write', 'write'],
      ['read', 'triage', 'triage'],
      ['read', 'read', 'read'],
      ['none', 'none', 'none'],
      ['write', 'release captain', 'write'],
      ['read', undefined, 'read'],
    ])('reads %s with the role %p as %s', async (permission, role, level) => {
      fake.server.on(PERMISSION, { json: { permission, role_name: role, user: { id: 5, login: 'ada' } } });
      await expect(fake.github.repositories.permission(APP, 'ada')).resolves.toMatchObject({
        value: { userId: 5, level },
      });
    });

    it('marks a custom role, whose permission may be higher than its base permission', async () => {
      fake.server.on(PERMISSION, { json: { permission: 'read', role_name: 'planner', user: { id: 5, login: 'ada' } } });
      const { value } = await fake.github.repositories.permission(APP, 'ada');
      expect(value).toEqual({ userId: 5, level: 'read', isCustomRole: true });
      fake.server.on(PERMISSION, { json: { permission: 'read', role_name: 'triage', user: { id: 5, login: 'ada' } } });
      expect((await fake.github.repositories.permission(APP, 'ada')).value).toEqual({ userId: 5, level: 'triage' });
    });

    it('grants nothing to an unknown login', async () => {
      fake.server.on(PERMISSION, NOT_FOUND);
      await expect(fake.github.repositories.permission(APP, 'ada')).resolves.toMatchObject({
        value: { userId: null, level: 'none' },
      });
    });

    it('rejects an unknown permission', async () => {
      fake.server.on(PERMISSION, { json: { permission: 'owner', role_name: 'owner', user: null } });
      await expect(fake.github.repositories.permission(APP, 'ada')).rejects.toMatchObject({ kind: 'malformed' });
    });
  });
});

const POLICY = 'GET /repos/acme/app/contents/sdlc.yaml';
const HEAD = 'GET /repos/acme/app/git/ref/heads%2Fmain';
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
    fake.server.on(POLICY, NOT_FOUND);
  });
  afterEach(() => fake.server.stop());

  const read = async (gitRef = 'main'): Promise<string | null> =>
    (await fake.github.repositories.file(APP, 'sdlc.yaml', gitRef)).value?.text ?? null;
  const requested = (): readonly (string | null)[] => fake.server.calls(POLICY).map(({ query }) => query.get('ref'));

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
    fake.server.on(POLICY, ({ query }) => (query.get('ref') === A ? NOT_FOUND : file('version: v1')));
    await expect(read()).resolves.toBe('version: v1');
    await expect(read()).resolves.toBe('version: v1');
    expect(requested()).toEqual(['main', A, B, 'main']);
  });

  it('is read at the commit of the first request, although the branch moves meanwhile', async () => {
    await read();
    // B adds the file, and the branch moves to B between the two requests.
    fake.server.on(POLICY, ({ query }) => (query.get('ref') === A ? NOT_FOUND : file('version: v1')));
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
    fake.server.on(POLICY, file('version: v1'));
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
    fake.server.on(POLICY, file('version: v1'));
    await expect(read('develop')).resolves.toBe('version: v1');
    fake.server.on('GET /repos/acme/app/contents/other.yaml', file('other'));
    await expect(fake.github.repositories.file(APP, 'other.yaml', 'main')).resolves.toMatchObject({
      value: { text: 'other' },
    });
    const entry = { name: 'a.yml', type: 'file', sha: 'c'.repeat(40) };
    fake.server.on(POLICY, { json: [entry] });
    await expect(fake.github.repositories.folder(APP, 'sdlc.yaml', 'main')).resolves.toMatchObject({
      value: [{ name: 'a.yml' }],
    });
    await expect(read()).resolves.toBeNull();
  });
});
