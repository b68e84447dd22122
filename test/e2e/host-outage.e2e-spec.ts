import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { waitUntilIdle } from '../faults/patience.js';
import { advanceMinutes } from '../faults/simulated-minutes.js';
import type { Issue } from '../github-sim/state/issues.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

const HOUR_MS = 3_600_000;
const TEN_MINUTES = 10;
const VERSION = 'v1.0.0';

describe('after an hour', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  /** Repositories to each of which something else happens while nobody looks. */
  class Hour {
    private constructor(
      private readonly scenes: Readonly<Record<string, RepositoryScene>>,
      private readonly issue: Issue,
    ) {}

    static async begin(name: string): Promise<Hour> {
      const scene = (what: string): RepositoryScene => new RepositoryScene(world, { name: `${what}-${name}` });
      const scenes = {
        reopened: scene('reopened'),
        approved: scene('approved'),
        shipped: scene('shipped'),
        deleted: scene('deleted'),
        pushed: scene('pushed'),
        planned: scene('planned'),
      };
      const { issues } = scenes.reopened.repository;
      await world.settle();
      for (const repo of [scenes.reopened, scenes.shipped, scenes.deleted, scenes.pushed]) await repo.approved(VERSION);
      await scenes.approved.evidencing(VERSION);
      const [milestone] = scenes.reopened.repository.milestones.list();
      const issue = issues.create({ title: 'Rounding', milestone: milestone! });
      issues.close(issue);
      await world.settle();
      return new Hour(scenes, issue);
    }

    pass(): void {
      const { reopened, approved, shipped, deleted, pushed, planned } = this.scenes;
      reopened!.repository.issues.reopen(this.issue);
      approved!.approve(VERSION);
      const { deployments } = shipped!.repository;
      deployments.setStatus(deployments.create({ ref: shipped!.head(), environment: 'production' }), 'success');
      deleted!.repository.milestones.delete(deleted!.repository.milestones.list()[0]!);
      pushed!.repository.createBranch('release/v1.0.0', pushed!.head());
      pushed!.commit({ branch: 'release/v1.0.0' });
      planned!.milestone(VERSION);
      planned!.commit();
      world.clock.advance(HOUR_MS);
    }

    /** In which stage each release is as it is stored: nobody asks a gate, which would look by itself. */
    async stages(): Promise<Readonly<Record<string, string>>> {
      const stages: Record<string, string> = {};
      for (const [name, { repository }] of Object.entries(this.scenes)) {
        const [release] = await world.asSuperuser<{ stage: string }>(
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

  it('in which the service was down, it has learnt all of it within ten minutes', async () => {
    const hour = await Hour.begin('down');
    const before = await hour.stages();
    await world.app.get(JobWorker).stop();
    world.outbox.faults.next({ kind: 'drop', times: 1_000 });
    hour.pass();
    const born = world.github.createRepository(world.organization, { name: 'born-meanwhile' });
    await world.outbox.settled();
    world.outbox.faults.clear();
    expect(await hour.stages()).toEqual(before);
    await world.app.get(JobWorker).start();
    await advanceMinutes(world, TEN_MINUTES);
    expect(await hour.stages()).toEqual(CONVERGED);
    const known = await world.asSuperuser(`select 1 from repository where github_id = ${born.id}`);
    expect(known).toHaveLength(1);
    expect(await world.asSuperuser('select guid from missed_delivery')).toEqual([]);
  }, 240_000);

  it('in which GitHub answered nothing, the service has learnt all of it within ten minutes, and no gate opened', async () => {
    const hour = await Hour.begin('silent');
    world.github.faults.next({ kind: '5xx', status: 503, times: 1_000_000 });
    hour.pass();
    await waitUntilIdle(world);
    await advanceMinutes(world, 20);
    const now = world.clock.now().toISOString();
    const open = await world.asSuperuser(
      `select 1 from release where shipped_at is null and open_until > '${now}' and valid_until > '${now}'`,
    );
    expect(open).toEqual([]);
    expect(await hour.stages()).not.toEqual(CONVERGED);
    world.github.faults.clear();
    await advanceMinutes(world, TEN_MINUTES);
    expect(await hour.stages()).toEqual(CONVERGED);
  }, 600_000);
});
