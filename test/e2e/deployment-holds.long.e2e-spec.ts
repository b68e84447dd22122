import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowRun } from '../github-sim/state/workflow-runs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn } from '../support/user-session.js';
import { HoldScenario, VERSION } from './scenarios/hold-scenario.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const scenario = (name: string, sdlc: string | null = PLAIN_POLICY): HoldScenario =>
  new HoldScenario(env, { name, sdlc });

/** Advances the clock, and runs the jobs that are due then. */
async function later(milliseconds: number): Promise<void> {
  env.clock.advance(milliseconds);
  await env.hurry();
}

describe('a deployment that waits for the protection rule', () => {
  it('is approved at once if the gate is open', async () => {
    const repo = scenario('open');
    const sha = await repo.approved(VERSION);
    const run = repo.request(sha);
    // `waitUntilIdle` runs no delayed job.
    await env.waitUntilIdle();
    expect(repo.reviews(run)).toMatchObject([{ state: 'approved', status: 204 }]);
    expect(repo.reviews(run)[0]?.comment).toMatch(/^`v1\.0\.0` may be deployed\. Decision `[0-9a-f-]{36}`\./);
    expect(await repo.states(run)).toEqual(['approved']);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });

  it('is held with the reasons while the gate is closed, and approved by the approval that opens it', async () => {
    const repo = scenario('opens-later');
    const sha = await repo.evidencing(VERSION);
    const run = repo.request(sha);
    await env.waitUntilIdle();
    const [report] = repo.reviews(run);
    expect(report).toMatchObject({ state: 'report', status: 204 });
    expect(report?.comment).toContain('The gate of v1.0.0 is closed.');
    expect(await repo.states(run)).toEqual(['waiting']);
    await repo.open();
    expect(repo.answers(run)).toEqual(['approved']);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });

  it('counts by the decision that approved it, although the gate closed before it ran', async () => {
    const repo = scenario('closes-afterwards');
    const run = repo.request(await repo.approved(VERSION));
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['approved']);
    await repo.close();
    env.clock.advance(5_000);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });

  it('is ungoverned if an administrator bypasses the rule while the gate is closed', async () => {
    const repo = scenario('bypassed');
    const run = repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    run.holds.bypass('production', env.organization.founder);
    await repo.finish(run);
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual([]);
    expect(await repo.states(run)).toEqual(['gone']);
    expect(await repo.kinds()).toEqual(['ungoverned']);
  });

  it('is ungoverned if the rule is bypassed after the run was approved once and requested again', async () => {
    const repo = scenario('bypassed-again');
    const run = repo.request(await repo.approved(VERSION));
    await env.waitUntilIdle();
    run.start('deploy');
    run.complete('deploy', 'failure');
    await repo.close();
    env.clock.advance(5_000);
    run.rerun();
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(await repo.states(run)).toEqual(['approved', 'waiting']);
    run.holds.bypass('production', env.organization.founder);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['ungoverned']);
  });

  it('is approved if its commit was shipped before', async () => {
    const repo = scenario('rollback');
    const sha = await repo.approved(VERSION);
    await repo.finish(await approvedRun(repo, sha));
    const next = await repo.approved('v1.1.0');
    await repo.finish(await approvedRun(repo, next));
    env.clock.advance(5_000);
    await repo.finish(await approvedRun(repo, sha));
    expect(await repo.kinds()).toEqual(['release', 'release', 'rollback']);
  });

  async function approvedRun(repo: HoldScenario, sha: string) {
    const run = repo.request(sha);
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['approved']);
    return run;
  }

  it('is rejected after two minutes if its commit is the candidate of no release', async () => {
    const repo = scenario('no-candidate');
    const candidate = await repo.approved(VERSION);
    const run = repo.request(repo.commit({ branch: 'other' }));
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual([]);
    await later(2 * MINUTE_MS);
    expect(repo.answers(run)).toEqual(['rejected']);
    expect(repo.reviews(run).at(-1)?.comment).toContain(`The candidate of v1.0.0 is ${candidate}.`);
    expect(await repo.states(run)).toEqual(['rejected']);
  });

  it('is rejected if the commit is from a fork, although the gate is open', async () => {
    const repo = scenario('fork');
    const sha = await repo.approved(VERSION);
    const fork = env.github.createRepository(env.github.createOrganization({ login: 'forker' }), { name: 'fork' });
    const run = repo.repository.workflowRuns.create({ sha, jobs: ['deploy'], fork });
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['rejected']);
    expect(repo.reviews(run)[0]?.comment).toContain('Deployments of forks are never approved.');
  });

  it.each(['pull_request', 'pull_request_target'])(
    'is rejected in a run of the event %s, which names the candidate but runs another commit',
    async (event) => {
      const repo = scenario(event.replaceAll('_', '-'));
      const sha = await repo.approved(VERSION);
      const run = repo.repository.workflowRuns.create({ sha, jobs: ['deploy'], event });
      run.holds.request('deploy', 'production');
      await env.waitUntilIdle();
      expect(repo.answers(run)).toEqual(['rejected']);
      expect(repo.reviews(run)[0]?.comment).toContain('The run is for a pull request.');
    },
  );

  it('is rejected for another environment than the target, although the gate is open', async () => {
    const repo = scenario('other-environment');
    const sha = await repo.approved(VERSION);
    repo.repository.environments.create('staging').enable(env.githubApp);
    const run = repo.request(sha, { environment: 'staging' });
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['rejected']);
    expect(repo.reviews(run)[0]?.comment).toContain('Remove its rule from the environment staging.');
  });

  it('is rejected with the reasons after the time of the policy, and requested again by the next attempt', async () => {
    const repo = scenario('expired', `${PLAIN_POLICY}  deployment: { hold: { for: 2h } }\n`);
    const run = repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    await later(HOUR_MS);
    expect(repo.answers(run)).toEqual([]);
    await later(HOUR_MS);
    expect(repo.answers(run)).toEqual(['rejected']);
    expect(repo.reviews(run).at(-1)?.comment).toMatch(/It waited for 2 hours\.[^]*Run the job again/);
    await repo.open();
    run.rerun();
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['rejected', 'approved']);
  });

  it('is rejected at once if the policy does not wait for the gate', async () => {
    const repo = scenario('rejects', `${PLAIN_POLICY}  deployment: { hold: { when_closed: reject } }\n`);
    const run = repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['rejected']);
  });

  it('waits while sdlc.yaml is not valid, and is approved after it is repaired', async () => {
    const repo = scenario('invalid-policy');
    const sha = await repo.approved(VERSION);
    repo.repository.commit({ files: { 'sdlc.yaml': 'version: v2\n' } });
    await env.waitUntilIdle();
    const run = repo.request(sha);
    await env.waitUntilIdle();
    expect(repo.reviews(run)).toMatchObject([{ state: 'report' }]);
    expect(repo.reviews(run)[0]?.comment).toContain('sdlc.yaml');
    expect(await repo.states(run)).toEqual(['waiting']);

    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['approved']);
    expect(await repo.states(run)).toEqual(['approved']);
  });

  it('waits while the workspace is frozen, and is approved after the freeze is lifted', async () => {
    const repo = scenario('frozen');
    const sha = await repo.approved(VERSION);
    const today = env.clock.now().toISOString().slice(0, 10);
    const admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
    const { body } = await admin.send('POST', '/api/freezes', { from: today, to: '2999-12-31', reason: 'launch' });
    const run = repo.request(sha);
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual([]);
    expect(repo.reviews(run)[0]?.comment).toContain('launch');

    await admin.send('DELETE', `/api/freezes/${String(body['id'])}`);
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['approved']);
  });

  it('waits for the reviewers and the timer of the environment first', async () => {
    const repo = scenario('reviewers');
    const sha = await repo.approved(VERSION);
    const strict = repo.repository.environments.create('strict', { reviewers: [repo.reviewer], waitMinutes: 10 });
    strict.enable(env.githubApp);
    repo.repository.commit({
      files: { 'sdlc.yaml': `${PLAIN_POLICY}  deployment: { target: strict }\n` },
      branch: 'main',
    });
    await env.waitUntilIdle();
    const head = repo.head();
    await repo.test(VERSION, head);
    await repo.open();
    expect(sha).not.toBe(head);
    const run = repo.request(head, { environment: 'strict' });
    await env.waitUntilIdle();
    expect(repo.reviews(run)[0]?.comment).toContain('The reviewers of the environment have not approved yet.');
    run.holds.approve('strict', repo.reviewer);
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual([]);
    await later(10 * MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
  });

  describe('and that a promotion started', () => {
    const AUTO_POLICY = `${PLAIN_POLICY}  deployment: { promotion: auto }\n`;
    /** The run that the dispatch starts, at the head of the default branch. */
    const dispatched = (repo: HoldScenario): WorkflowRun => {
      const run = repo.repository.workflowRuns.create({
        sha: repo.head(),
        jobs: ['deploy'],
        event: 'repository_dispatch',
      });
      run.holds.request('deploy', 'production');
      return run;
    };
    const dispatches = (repo: HoldScenario): number =>
      env.exchanges.filter(
        ({ method, path }) => method === 'POST' && path === `/repos/acme/${repo.repository.name}/dispatches`,
      ).length;

    it('is approved when the gate, which closed after the dispatch, opens later', async () => {
      const repo = scenario('promoted', AUTO_POLICY);
      await repo.approved(VERSION);
      expect(dispatches(repo)).toBe(1);
      await repo.close();
      const run = dispatched(repo);
      await env.waitUntilIdle();
      expect(repo.answers(run)).toEqual([]);
      expect(await repo.states(run)).toEqual(['waiting']);
      await repo.open();
      expect(repo.answers(run)).toEqual(['approved']);
      await repo.finish(run);
      expect(await repo.kinds()).toEqual(['release']);
      expect(dispatches(repo)).toBe(1);
    });

    it('is rejected if the head of the default branch is not the candidate', async () => {
      const repo = scenario('promoted-from-branch', AUTO_POLICY);
      repo.milestone(VERSION);
      const candidate = repo.commit();
      repo.repository.createBranch(`release/${VERSION}`, candidate);
      repo.commit();
      await env.waitUntilIdle();
      await repo.test(VERSION, candidate);
      await repo.open();
      expect(dispatches(repo)).toBe(1);
      const run = dispatched(repo);
      await env.waitUntilIdle();
      await later(2 * MINUTE_MS);
      expect(repo.answers(run)).toEqual(['rejected']);
      expect(repo.reviews(run).at(-1)?.comment).toContain(`The candidate of v1.0.0 is ${candidate}.`);
    });
  });

  it('is gone if its run is cancelled', async () => {
    const repo = scenario('cancelled');
    const run = repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    run.cancel();
    await later(MINUTE_MS);
    expect(await repo.states(run)).toEqual(['gone']);
    await repo.open();
    expect(repo.answers(run)).toEqual([]);
  });
});

describe('the reports about a deployment that waits', () => {
  it('are sent when the reasons change, at most once a minute and nine times', async () => {
    const repo = scenario('reports');
    const run = repo.request(await repo.evidencing(VERSION));
    const [milestone = null] = repo.repository.milestones.list();
    await env.waitUntilIdle();
    await env.hurry();
    expect(repo.reviews(run)).toHaveLength(1);
    for (let change = 0; change < 12; change += 1) {
      repo.repository.issues.create({ title: `Change ${change}`, milestone });
      await env.waitUntilIdle();
      await later(MINUTE_MS);
    }
    expect(repo.reviews(run)).toHaveLength(9);
    expect(repo.reviews(run).every(({ status, comment }) => status === 204 && comment.length <= 1_024)).toBe(true);
  });
});
