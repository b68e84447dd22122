import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const SHA = 'a'.repeat(40);
const RUNS = `GET /repos/acme/app/commits/${SHA}/check-runs`;
const STATUS = `GET /repos/acme/app/commits/${SHA}/status`;

const runJson = (changes: object): object => ({
  id: 1,
  name: 'build',
  app: { slug: 'github-actions' },
  check_suite: { id: 70 },
  started_at: '2026-01-05T09:00:00Z',
  completed_at: '2026-01-05T09:01:00Z',
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
        id: 1,
        name: 'build',
        app: 'github-actions',
        suite: 70,
        workflowRun: null,
        attempt: null,
        startedAt: '2026-01-05T09:00:00Z',
        completedAt: status === 'completed' ? '2026-01-05T09:01:00Z' : null,
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
    fake.server.on(STATUS, statuses({ id: 9, context: 'ci/build', state: reported, target_url: null }));
    await expect(checks()).resolves.toMatchObject([
      { id: 9, name: 'ci/build', app: null, suite: null, state, conclusion: null, url: null },
    ]);
  });

  it('requests all runs, because the list of the latest hides a job behind another one of its name', async () => {
    await checks();
    expect(fake.server.calls(RUNS)[0]?.query.get('filter')).toBe('all');
  });

  describe('with runs of one name in one suite', () => {
    const JOBS = 'GET /repos/acme/app/actions/runs/77/jobs';
    const jobRun = (id: number, changes: object = {}): object =>
      runJson({ id, details_url: `https://github.test/acme/app/actions/runs/77/job/${id}`, ...changes });
    const jobJson = (id: number, attempt: number): object => ({
      id,
      run_attempt: attempt,
      name: 'build',
      status: 'completed',
      conclusion: 'success',
    });
    const tried = async () => (await checks()).map(({ id, workflowRun, attempt }) => [id, workflowRun, attempt]);

    it('reads the attempt of each job', async () => {
      fake.server.on(RUNS, runs(jobRun(2), jobRun(1, { conclusion: 'failure' })));
      fake.server.on(JOBS, { json: { total_count: 2, jobs: [jobJson(1, 1), jobJson(2, 2)] } });
      await expect(tried()).resolves.toEqual([
        [2, 77, 2],
        [1, 77, 1],
      ]);
      expect(fake.server.calls(JOBS)).toHaveLength(1);
    });

    it('does not know the attempt of a job that GitHub does not list', async () => {
      fake.server.on(RUNS, runs(jobRun(2), jobRun(1)));
      fake.server.on(JOBS, { json: { total_count: 1, jobs: [jobJson(2, 2)] } });
      await expect(tried()).resolves.toEqual([
        [2, 77, 2],
        [1, 77, null],
      ]);
    });

    it('fails if the jobs cannot be read', async () => {
      fake.server.on(RUNS, runs(jobRun(2), jobRun(1)));
      fake.server.on(JOBS, { status: 502, json: {} });
      await expect(checks()).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it.each<[string, readonly object[]]>([
      ['names', [jobRun(1), jobRun(2, { name: 'test' })]],
      ['suites', [jobRun(1), jobRun(2, { check_suite: { id: 71 } })]],
      ['apps', [jobRun(1), jobRun(2, { app: { slug: 'other' } })]],
    ])('reads no jobs for runs of several %s', async (_several, list) => {
      fake.server.on(RUNS, runs(...list));
      await checks();
      expect(fake.server.calls(JOBS)).toHaveLength(0);
    });

    it('takes no run of another app and none that a step created for a job', async () => {
      const foreign = { app: { slug: 'other' } };
      const ofStep = { details_url: 'https://github.test/acme/app/runs/4' };
      fake.server.on(RUNS, runs(jobRun(1, foreign), jobRun(2, foreign), jobRun(3, ofStep), jobRun(4, ofStep)));
      await expect(tried()).resolves.toEqual([1, 2, 3, 4].map((id) => [id, null, null]));
    });
  });

  it('rejects the checks of a commit of which GitHub may not list all suites', async () => {
    const suites = Array.from({ length: 1_000 }, (_, id) => runJson({ id, check_suite: { id } }));
    fake.server.on(RUNS, runs(...suites));
    await expect(checks()).rejects.toMatchObject({ kind: 'malformed' });
    fake.server.on(RUNS, runs(...suites.slice(1)));
    await expect(checks()).resolves.toHaveLength(999);
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
