import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  repositoryJson,
  startFakeGitHubGateway,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';

const installationJson = (changes: object = {}): object => ({
  id: 7,
  account: { id: 11, login: 'acme' },
  target_type: 'Organization',
  repository_selection: 'selected',
  permissions: { contents: 'write', metadata: 'read' },
  suspended_at: null,
  ...changes,
});
const INSTALLATION = {
  id: 7,
  accountId: 11,
  accountLogin: 'acme',
  accountType: 'Organization',
  repositorySelection: 'selected',
  permissions: { contents: 'write', metadata: 'read' },
  suspendedAt: null,
};

describe('Installations', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  it('lists the installations', async () => {
    fake.server.on('GET /app/installations', { json: [installationJson()] });
    await expect(fake.github.installations.list()).resolves.toMatchObject({ value: [INSTALLATION] });
  });

  it('finds an installation by its id', async () => {
    const suspended_at = '2026-05-01T00:00:00Z';
    fake.server.on('GET /app/installations/7', { json: installationJson({ suspended_at }) });
    await expect(fake.github.installations.find(7)).resolves.toMatchObject({
      value: { ...INSTALLATION, suspendedAt: suspended_at },
    });
  });

  it('returns null after the app was uninstalled, and only for a 404', async () => {
    await expect(fake.github.installations.find(8)).resolves.toMatchObject({ value: null });
    fake.server.on('GET /app/installations/8', { status: 401, json: { message: 'Bad credentials' } });
    await expect(fake.github.installations.find(8)).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('lists the repositories that an installation can access', async () => {
    fake.server.on('GET /installation/repositories', { json: { total_count: 1, repositories: [repositoryJson()] } });
    await expect(fake.github.installations.repositories(7)).resolves.toMatchObject({
      value: [{ id: 101, owner: 'acme', ownerId: 11, name: 'app' }],
    });
  });

  it('reports that no team exists only for a 404', async () => {
    await expect(fake.github.teams.members(7, 'acme', 'gone')).resolves.toMatchObject({
      value: { exists: false, userIds: [] },
    });
    fake.server.on('GET /orgs/acme/teams/gone/members', {
      status: 403,
      json: { message: 'Resource not accessible' },
    });
    await expect(fake.github.teams.members(7, 'acme', 'gone')).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
