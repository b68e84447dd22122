import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

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
