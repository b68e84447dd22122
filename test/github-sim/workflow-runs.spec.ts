import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GITHUB_WEBHOOKS } from '../support/github-contract.js';
import { AcmeFixture } from './acme-fixture.js';
import type { WorkflowRun } from './state/workflow-runs.js';

interface ListedJob {
  readonly id: number;
  readonly name: string;
  readonly run_attempt: number;
  readonly status: string;
  readonly conclusion: string | null;
}

describe('the simulated workflow runs', () => {
  let acme: AcmeFixture;
  let token: string;

  beforeAll(async () => {
    acme = await AcmeFixture.start();
    token = await acme.installationToken();
  });
  afterAll(async () => {
    expect(acme.observed.violations).toEqual([]);
    await acme.observed.sim.stop();
  });

  const create = (...jobs: readonly string[]): WorkflowRun => {
    const sha = acme.repository.git.branchHead('main')!;
    return acme.repository.workflowRuns.create({ sha, jobs });
  };
  const list = async ({ id }: WorkflowRun, query = 'filter=all'): Promise<readonly string[]> => {
    const { body } = await acme.request(token, 'GET', `/repos/acme/payments/actions/runs/${id}/jobs?${query}`);
    return (body['jobs'] as readonly ListedJob[]).map(
      ({ name, run_attempt: attempt, status, conclusion }) => `${name} #${attempt} ${conclusion ?? status}`,
    );
  };
  const heard = (work: () => void): readonly string[] => {
    const before = acme.events().length;
    work();
    return acme.events().slice(before);
  };

  it('list the jobs of all attempts, or of the latest', async () => {
    const run = create('test (1)', 'test (2)');
    run.start('test (1)');
    run.complete('test (1)', 'failure');
    run.complete('test (2)');
    const ids = run.jobs.map(({ id }) => id);
    run.rerun();
    expect(await list(run)).toEqual(['test (1) #1 failure', 'test (2) #1 success', 'test (1) #2 queued']);
    expect(await list(run, 'filter=latest')).toEqual(['test (1) #2 queued']);
    expect(ids).not.toContain(run.job('test (1)').id);
  });

  it('list carried-over jobs under new ids, if configured', async () => {
    const run = create('a', 'b');
    run.complete('a', 'success');
    run.hold('b');
    run.cancel();
    run.rerun({ listsOthers: true });
    expect(await list(run)).toEqual(['a #1 success', 'b #1 cancelled', 'a #2 success', 'b #2 queued']);
    expect(new Set(run.jobs.map(({ id }) => id)).size).toBe(4);
  });

  it('send the events that GitHub sends', () => {
    const events = heard(() => {
      const run = create('a', 'b');
      run.start('a');
      run.complete('a');
      run.hold('b');
      run.complete('b', 'skipped');
    });
    expect(events).toEqual([
      'workflow_run.requested',
      'workflow_job.queued',
      'check_run.created',
      'workflow_job.queued',
      'check_run.created',
      'workflow_job.in_progress',
      'workflow_job.completed',
      'check_run.completed',
      'workflow_job.waiting',
      'workflow_job.completed',
      'check_run.completed',
      'workflow_run.completed',
    ]);
    const flaws = acme.observed.hooks.flatMap(({ event, payload }) => GITHUB_WEBHOOKS.check(event, payload));
    expect(flaws).toEqual([]);
  });

  it('have their jobs among the check runs of the commit, of which the latest of a name in a run hides the others', async () => {
    const sha = acme.repository.commit({ files: { 'same.txt': 'names' } });
    const of = (): WorkflowRun => acme.repository.workflowRuns.create({ sha, jobs: ['test', 'test'] });
    const [first, second] = [of(), of()];
    first.complete('test', 'failure');
    const checkRuns = async (filter: string): Promise<readonly unknown[]> => {
      const path = `/repos/acme/payments/commits/${sha}/check-runs?filter=${filter}`;
      const { body } = await acme.request(token, 'GET', path);
      const listed = body['check_runs'] as readonly { readonly id: number; readonly app: { readonly slug: string } }[];
      expect(listed.every(({ app }) => app.slug === 'github-actions')).toBe(true);
      return listed.map(({ id }) => id);
    };
    const ids = [...first.jobs, ...second.jobs].map(({ id }) => id);
    expect(await checkRuns('all')).toEqual(ids.toReversed());
    expect(await checkRuns('latest')).toEqual([ids[3], ids[1]]);
  });

  it('are gone after they were deleted', async () => {
    const run = create('a');
    acme.repository.workflowRuns.delete(run);
    const { status } = await acme.request(token, 'GET', `/repos/acme/payments/actions/runs/${run.id}/jobs`);
    expect(status).toBe(404);
  });

  it('are hidden from an installation that cannot read Actions', async () => {
    const run = create('a');
    const { actions: _, ...permissions } = acme.installation.permissions;
    const lesser = await acme.installationToken({ permissions });
    const { status, body } = await acme.request(lesser, 'GET', `/repos/acme/payments/actions/runs/${run.id}/jobs`);
    expect([status, body['message']]).toEqual([403, 'Resource not accessible by integration']);
  });
});
