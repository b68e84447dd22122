import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { waitUntilIdle } from '../faults/wait-until-idle.js';
import { advanceMinutes } from '../faults/advance-minutes.js';
import type { Issue } from '../github-sim/state/issues.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const HOUR_MS = 3_600_000;
const TEN_MINUTES = 10;
const VERSION = 'v1.0.0';

describe('after an hour', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  /** Repositories, each with a different change during the outage. */
  class Hour {
    private constructor(
      private readonly scenarios: Readonly<Record<string, RepositoryScenario>>,
      private readonly issue: Issue,
    ) {}

    static async begin(name: string): Promise<Hour> {
      const scenario = (what: string): RepositoryScenario => new RepositoryScenario(env, { name: `${what}-${name}` });
      const scenarios = {
        reopened: scenario('reopened'),
        approved: scenario('approved'),
        shipped: scenario('shipped'),
        deleted: scenario('deleted'),
        pushed: scenario('pushed'),
        planned: scenario('planned'),
      };
      const { issues } = scenarios.reopened.repository;
      await env.waitUntilIdle();
      for (const repo of [scenarios.reopened, scenarios.shipped, scenarios.deleted, scenarios.pushed])
        await repo.approved(VERSION);
      await scenarios.approved.evidencing(VERSION);
      const [milestone] = scenarios.reopened.repository.milestones.list();
      const issue = issues.create({ title: 'Rounding', milestone: milestone! });
      issues.close(issue);
      await env.waitUntilIdle();
      return new Hour(scenarios, issue);
    }

    pass(): void {
      const { reopened, approved, shipped, deleted, pushed, planned } = this.scenarios;
      reopened!.repository.issues.reopen(this.issue);
      approved!.approve(VERSION);
      const { deployments } = shipped!.repository;
      deployments.setStatus(deployments.create({ ref: shipped!.head(), environment: 'production' }), 'success');
      deleted!.repository.milestones.delete(deleted!.repository.milestones.list()[0]!);
      pushed!.repository.createBranch('release/v1.0.0', pushed!.head());
      pushed!.commit({ branch: 'release/v1.0.0' });
      planned!.milestone(VERSION);
      planned!.commit();
      env.clock.advance(HOUR_MS);
    }

    /** The stored stage of each release: a gate request would read the facts itself. */
    async stages(): Promise<Readonly<Record<string, string>>> {
      const stages: Record<string, string> = {};
      for (const [name, { repository }] of Object.entries(this.scenarios)) {
        const [release] = await env.asSuperuser<{ stage: string }>(
          `select case when deleted_at is not null then 'deleted' else stage end as stage from release
           where repository_id = (select id from repository where github_id = ${repository.id})`,
        );
        stages[name] = release?.stage ?? 'unknown';
      }
      return stages;
    }
  }

  const CONVERGED = {
    reopened: 'DEVELOPMENT',
    approved: 'DEPLOYMENT',
    shipped: 'DEPLOYED',
    deleted: 'deleted',
    // The new candidate has no evidence yet.
    pushed: 'TESTING',
    planned: 'PLANNING',
  };

  it('of downtime of the service, it reads all changes within ten minutes', async () => {
    const hour = await Hour.begin('down');
    const before = await hour.stages();
    await env.app.get(JobWorker).stop();
    env.outbox.faults.next({ kind: 'drop', times: 1_000 });
    hour.pass();
    const born = env.github.createRepository(env.organization, { name: 'born-meanwhile' });
    await env.outbox.waitUntilIdle();
    env.outbox.faults.clear();
    expect(await hour.stages()).toEqual(before);
    await env.app.get(JobWorker).start();
    await advanceMinutes(env, TEN_MINUTES);
    expect(await hour.stages()).toEqual(CONVERGED);
    const known = await env.asSuperuser(`select 1 from repository where github_id = ${born.id}`);
    expect(known).toHaveLength(1);
    expect(await env.asSuperuser('select guid from missed_delivery')).toEqual([]);
  }, 240_000);

  it('without answers from GitHub, the service reads all changes within ten minutes, and no gate opens', async () => {
    const hour = await Hour.begin('silent');
    env.github.faults.next({ kind: '5xx', status: 503, times: 1_000_000 });
    hour.pass();
    await waitUntilIdle(env);
    await advanceMinutes(env, 20);
    const now = env.clock.now().toISOString();
    const open = await env.asSuperuser(
      `select 1 from release where shipped_at is null and open_until > '${now}' and valid_until > '${now}'`,
    );
    expect(open).toEqual([]);
    expect(await hour.stages()).not.toEqual(CONVERGED);
    env.github.faults.clear();
    await advanceMinutes(env, TEN_MINUTES);
    expect(await hour.stages()).toEqual(CONVERGED);
  }, 600_000);
});
