import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const SHA = 'a'.repeat(40);
const RUNS = `GET /repos/acme/app/commits/${SHA}/check-runs`;
const STATUS = `GET /repos/acme/app/commits/${SHA}/status`;

const runJson = (changes: object): object => ({
  name: 'build',
  app: { slug: 'github-actions' },
  status: 'completed',
  conclusion: 'success',
  html_url: 'https://github.test/runs/1',
  ...changes,
});
const runs = (...list: readonly object[]) => ({ json: { total_count: list.length, check_runs: list } });
const statuses = (...list: readonly object[]) => ({ json: { total_count: list.length, statuses: list } });

describe('Checks', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    fake.server.on(RUNS, runs());
    fake.server.on(STATUS, statuses());
  });
  afterEach(() => fake.server.stop());

  const checks = async () => (await fake.github.checks.listByCommit(APP, SHA)).value;

  it.each([
    ['completed', 'success', 'success'],
    ['completed', 'neutral', 'skipped'],
    ['completed', 'skipped', 'skipped'],
    ['completed', 'failure', 'failure'],
    ['completed', 'cancelled', 'failure'],
    ['completed', 'timed_out', 'failure'],
    ['completed', 'action_required', 'failure'],
    ['completed', 'stale', 'failure'],
    ['completed', 'startup_failure', 'failure'],
    ['completed', 'something new', 'failure'],
    ['completed', null, 'failure'],
    ['in_progress', null, 'pending'],
    ['queued', null, 'pending'],
    ['waiting', 'success', 'pending'],
  ])('reads a run that is %s with %p as %s', async (status, conclusion, state) => {
    fake.server.on(RUNS, runs(runJson({ status, conclusion })));
    await expect(checks()).resolves.toEqual([
      {
        name: 'build',
        app: 'github-actions',
        state,
        conclusion: status === 'completed' ? conclusion : null,
        url: 'https://github.test/runs/1',
      },
    ]);
  });

  it.each([
    ['success', 'success'],
    ['pending', 'pending'],
    ['failure', 'failure'],
    ['error', 'failure'],
    ['something new', 'failure'],
  ])('reads the commit status %s as %s', async (reported, state) => {
    fake.server.on(STATUS, statuses({ context: 'ci/build', state: reported, target_url: null }));
    await expect(checks()).resolves.toEqual([{ name: 'ci/build', app: null, state, conclusion: null, url: null }]);
  });

  it('requests only the latest runs', async () => {
    await checks();
    expect(fake.server.calls(RUNS)[0]?.query.get('filter')).toBe('latest');
  });

  it.each([
    ['runs', RUNS, { json: { total_count: 2, check_runs: [runJson({})] } }],
    ['runs, and none is listed', RUNS, { json: { total_count: 1, check_runs: [] } }],
    ['statuses', STATUS, { json: { total_count: 1, statuses: [] } }],
  ])('rejects a list that is shorter than GitHub states: %s', async (_, route, reply) => {
    fake.server.on(route, reply);
    await expect(checks()).rejects.toMatchObject({ kind: 'malformed' });
  });
});
