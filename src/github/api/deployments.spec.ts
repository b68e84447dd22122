import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const SHA = 'a'.repeat(40);
const DEPLOYMENTS = 'GET /repos/acme/app/deployments';
const STATUSES = `${DEPLOYMENTS}/70/statuses`;
const deploymentJson = {
  id: 70,
  sha: SHA,
  environment: 'production',
  creator: { login: 'ada' },
  created_at: '2026-05-04T09:00:00Z',
};
const statusJson = (id: number, state: string): object => ({ id, state, created_at: `2026-05-04T09:0${id}:00Z` });

describe('Deployments', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    fake.server.on(`${DEPLOYMENTS}/70`, { json: deploymentJson });
  });
  afterEach(() => fake.server.stop());

  it.each([
    ['pending', null, []],
    ['pending', null, ['queued']],
    ['pending', null, ['queued', 'in_progress']],
    ['success', '2026-05-04T09:02:00Z', ['in_progress', 'success']],
    ['failure', null, ['in_progress', 'failure']],
    ['failure', null, ['error']],
    ['inactive', '2026-05-04T09:01:00Z', ['success', 'inactive']],
    ['success', '2026-05-04T09:01:00Z', ['success', 'inactive', 'success']],
    ['pending', '2026-05-04T09:01:00Z', ['success', 'something new']],
  ])('is %s, first successful at %p, after %p', async (state, succeededAt, states) => {
    // GitHub lists the newest first.
    fake.server.on(STATUSES, { json: states.map((name, index) => statusJson(index + 1, name)).toReversed() });
    await expect(fake.github.deployments.find(APP, 70)).resolves.toMatchObject({
      value: {
        githubId: 70,
        sha: SHA,
        environment: 'production',
        creator: 'ada',
        beganAt: '2026-05-04T09:00:00Z',
        state,
        succeededAt,
      },
    });
  });

  it.each<[string, readonly string[]]>([
    // The expected start, and the statuses, of which each was created one minute after the one before.
    ['09:00', []],
    ['09:00', ['waiting']],
    ['09:00', ['queued', 'in_progress', 'success']],
    ['09:00', ['failure', 'in_progress', 'success']],
    ['09:02', ['waiting', 'success']],
    ['09:02', ['waiting', 'queued', 'in_progress', 'success']],
    ['09:02', ['waiting', 'in_progress', 'success', 'inactive']],
    ['09:04', ['pending', 'queued', 'waiting', 'in_progress', 'success']],
    ['09:05', ['in_progress', 'waiting', 'in_progress', 'waiting', 'in_progress', 'success']],
    ['09:03', ['waiting', 'waiting', 'in_progress', 'success']],
    ['09:04', ['waiting', 'failure', 'waiting', 'in_progress', 'success']],
    // The deployment had begun, because it succeeded before it waited.
    ['09:00', ['success', 'waiting', 'in_progress', 'success']],
    ['09:02', ['waiting', 'success', 'waiting', 'in_progress', 'success']],
  ])('began at %s after %p', async (began, states) => {
    fake.server.on(STATUSES, { json: states.map((name, index) => statusJson(index + 1, name)).toReversed() });
    await expect(fake.github.deployments.find(APP, 70)).resolves.toMatchObject({
      value: { beganAt: `2026-05-04T${began}:00Z`, waiting: states.at(-1) === 'waiting' },
    });
  });

  it('returns null if GitHub has none', async () => {
    await expect(fake.github.deployments.find(APP, 71)).resolves.toMatchObject({ value: null });
  });

  it('lists the recent ones of an environment with their states', async () => {
    fake.server.on(DEPLOYMENTS, { json: [deploymentJson] });
    fake.server.on(STATUSES, { json: [statusJson(1, 'success')] });
    await expect(fake.github.deployments.listRecent(APP, 'production')).resolves.toMatchObject({
      value: [{ githubId: 70, state: 'success' }],
    });
    expect(fake.server.calls(DEPLOYMENTS)[0]?.query.get('environment')).toBe('production');
  });

  it('dispatches once for any response', async () => {
    const route = 'POST /repos/acme/app/dispatches';
    fake.server.on(route, { status: 502 });
    const dispatch = fake.github.deployments.dispatch(APP, 'shipgate-deploy', { version: 'v1.0.0', sha: SHA });
    await expect(dispatch).rejects.toMatchObject({ kind: 'unavailable' });
    expect(fake.server.calls(route)).toHaveLength(1);
  });
});
