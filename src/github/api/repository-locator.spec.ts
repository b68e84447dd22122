import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';

const REPOSITORY = 'GET /repos/acme/app';
const NOT_FOUND = { status: 404, json: { message: 'Not Found' } };

describe('RepositoryLocator', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    fake.server.on('GET /repos/acme/app/milestones', { json: [] });
  });
  afterEach(() => fake.server.stop());

  it('confirms the id behind the name once a minute', async () => {
    const { server: host, github, clock } = fake;
    await github.milestones.list(APP);
    clock.advance(59_999);
    await github.milestones.list(APP);
    expect(host.calls(REPOSITORY)).toHaveLength(1);
    clock.advance(1);
    await github.milestones.list(APP);
    expect(host.calls(REPOSITORY)).toHaveLength(2);
  });

  it('reads nothing of another repository under the same name', async () => {
    const { server: host, github } = fake;
    host.on(REPOSITORY, { json: repositoryJson({ id: 102, private: false }) });
    await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(github.repositories.find(APP)).resolves.toMatchObject({ value: null });
    expect(host.calls('GET /repos/acme/app/milestones')).toEqual([]);
  });

  it('follows a renamed repository, also for writes', async () => {
    const { server: host, github } = fake;
    host.on(REPOSITORY, { status: 301, headers: { location: '/repositories/101' } });
    host.on('GET /repositories/101', { json: repositoryJson({ name: 'application' }) });
    host.on('GET /repos/acme/application/milestones', { json: [] });
    host.on('POST /repos/acme/application/dispatches', { status: 204 });
    await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [] });
    await github.deployments.dispatch(APP, 'shipgate-deploy', { version: 'v1.0.0' });
    expect(host.calls('POST /repos/acme/application/dispatches')[0]?.body).toBe(
      '{"event_type":"shipgate-deploy","client_payload":{"version":"v1.0.0"}}',
    );
  });

  it('does not report a milestone as deleted when the repository is gone', async () => {
    const { server: host, github } = fake;
    await github.milestones.list(APP);
    host.on('GET /repos/acme/app/milestones/3', NOT_FOUND);
    await expect(github.milestones.find(APP, 3)).resolves.toMatchObject({ value: null });
    host.on(REPOSITORY, NOT_FOUND);
    await expect(github.milestones.find(APP, 3)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('finds no repository that the installation cannot access', async () => {
    fake.server.on(TOKEN_ROUTE, {
      status: 422,
      json: { message: 'There is at least one repository that does not exist' },
    });
    await expect(fake.github.repositories.find(APP)).resolves.toMatchObject({ value: null });
    await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({ kind: 'not_found' });
  });
});
