import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const HOUR_MS = 3_600_000;

describe('a release', () => {
  let env: TestEnvironment;
  const scenario = (name: string, sdlc?: string): RepositoryScenario =>
    new RepositoryScenario(env, { name, ...(sdlc !== undefined && { sdlc }) });

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('ships from the trunk, after the squash merge of its evidence and CI on the merge commit', async () => {
    const trunk = scenario('trunk');
    const sha = await trunk.approved('v1.0.0');
    expect(await trunk.gate('v1.0.0', { sha })).toMatchObject({ can_deploy: true });

    const merged = trunk.repository.pulls.merge(trunk.evidencePull('v1.0.0'), { method: 'squash' });
    await env.waitUntilIdle();
    expect(await trunk.gate('v1.0.0', { sha: merged })).toMatchObject({ can_deploy: true, reasons: [] });

    await trunk.test('v1.0.0', merged);
    for (const requested of [sha, merged]) {
      expect(await trunk.gate('v1.0.0', { sha: requested })).toMatchObject({ can_deploy: true, reasons: [] });
    }
    expect(trunk.repository.pulls.list()).toHaveLength(1);

    await trunk.deploy(merged);
    expect(await trunk.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
  });

  it('from the trunk has as candidate only the commit with evidence', async () => {
    const trunk = scenario('trunk-only');
    trunk.milestone('v1.0.0');
    const first = trunk.commit();
    const second = trunk.commit();
    const third = trunk.commit();
    await env.waitUntilIdle();

    await trunk.test('v1.0.0', second);
    expect(await trunk.gate('v1.0.0')).toMatchObject({ candidate_sha: second, current_stage: 'EVIDENCING' });
    await trunk.test('v1.0.0', first);
    expect(await trunk.gate('v1.0.0')).toMatchObject({ candidate_sha: second });
    expect((await trunk.run(third).uploadTests('v1.0.0', 3, 1)).status).toBe(201);
    await env.waitUntilIdle();
    expect(await trunk.gate('v1.0.0')).toMatchObject({
      candidate_sha: third,
      current_stage: 'TESTING',
      tests_passing: false,
    });
  });

  it('on its release branch has the head as candidate, whatever happens on the trunk', async () => {
    const repo = scenario('branched');
    repo.milestone('v2.0.0');
    const cut = repo.commit();
    repo.repository.createBranch('release/v2.0.0', cut);
    await env.waitUntilIdle();
    await repo.test('v2.0.0', cut);
    repo.approve('v2.0.0');
    repo.commit();
    await env.waitUntilIdle();
    expect(await repo.gate('v2.0.0', { sha: cut })).toMatchObject({ can_deploy: true, candidate_sha: cut });

    const fix = repo.commit({ branch: 'release/v2.0.0' });
    await env.waitUntilIdle();
    expect(await repo.gate('v2.0.0')).toMatchObject({
      candidate_sha: fix,
      current_stage: 'TESTING',
      can_deploy: false,
    });
    expect(codesOf(await repo.gate('v2.0.0', { sha: cut }))).toContain('not_the_candidate');

    await repo.test('v2.0.0', fix);
    expect(await repo.gate('v2.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
    repo.approve('v2.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v2.0.0', { sha: fix })).toMatchObject({ can_deploy: true });
  });

  it('with two branches of its own is blocked', async () => {
    const repo = scenario('two-branches');
    const sha = await repo.approved('v1.0.0');
    repo.repository.createBranch('release/v1.0.0', sha);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.createBranch('hotfix/v1.0.0', sha);
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ can_deploy: false, current_stage: 'DEVELOPMENT' });
    expect(codesOf(answer)).toContain('two_release_branches');
    repo.repository.deleteBranch('release/v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('with a matrix of shards is blocked by one failed shard', async () => {
    const repo = scenario('matrix');
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const run = repo.run(sha);
    expect((await run.uploadTests('v1.0.0', 3, 0, { job: 'test (1/3)' })).status).toBe(201);
    expect((await run.uploadTests('v1.0.0', 3, 1, { job: 'test (2/3)' })).status).toBe(201);
    expect((await run.uploadTests('v1.0.0', 3, 0, { job: 'test (3/3)' })).status).toBe(201);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', tests_passing: false });

    const again = run.again(2);
    expect((await again.uploadTests('v1.0.0', 3, 0, { job: 'test (2/3)' })).status).toBe(201);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', tests_passing: true });
    const received = repo.evidenceOf('v1.0.0').map(({ job, run }) => `${job} of attempt ${run.attempt}`);
    expect(received.toSorted()).toEqual([
      'test (1/3) of attempt 1',
      'test (2/3) of attempt 2',
      'test (3/3) of attempt 1',
    ]);
  });

  it('is blocked by a job that failed again when only this job was re-run', async () => {
    const repo = scenario('still-red');
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const run = repo.run(sha);
    await run.uploadTests('v1.0.0', 3, 1, { job: 'unit' });
    await run.uploadTests('v1.0.0', 5, 0, { job: 'api' });
    await run.again(2).uploadTests('v1.0.0', 4, 1, { job: 'unit' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', tests_passing: false });
  });

  it('as a hotfix skips planning rules, and never evidence and approval', async () => {
    const flags = 'version: v1\nstages:\n  planning: { require_issues: true, require_issues_assigned: true }\n';
    const repo = scenario('hotfixed', flags);
    repo.milestone('v1.0.1');
    repo.milestone('v1.1.0');
    const sha = repo.commit({ branch: 'hotfix/v1.0.1' });
    const other = repo.commit({ branch: 'release/v1.1.0' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.1.0')).toMatchObject({ current_stage: 'PLANNING', candidate_sha: other });
    expect(await repo.gate('v1.0.1')).toMatchObject({ current_stage: 'TESTING', candidate_sha: sha });
    await repo.test('v1.0.1', sha);
    expect(await repo.gate('v1.0.1')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
    repo.approve('v1.0.1');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.1')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });

  it('returns to development when one of its issues is reopened', async () => {
    const repo = scenario('reopened');
    const milestone = repo.milestone('v1.0.0');
    const issue = repo.repository.issues.create({ title: 'Pay by card', milestone });
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['issue_open']);
    repo.repository.issues.close(issue);
    await env.waitUntilIdle();
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    repo.repository.issues.reopen(issue);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({
      current_stage: 'DEVELOPMENT',
      can_deploy: false,
      evidence_pr_approved: true,
      tests_passing: true,
    });
    repo.repository.issues.addLabel(issue, 'bug');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });

  it('after a quiet hour has a gate that refreshes every fact, and that closes while GitHub is down', async () => {
    const repo = scenario('quiet');
    await repo.approved('v1.0.0');
    env.clock.advance(HOUR_MS);
    expect(await repo.run(repo.head()).gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: true });

    env.clock.advance(HOUR_MS);
    env.github.faults.next({ kind: '5xx', status: 502, times: 1_000 });
    const answer = await repo.gate('v1.0.0');
    env.github.faults.clear();
    expect(answer).toMatchObject({ can_deploy: false, current_stage: 'DEPLOYMENT', evidence_pr_approved: true });
    expect(codesOf(answer)).toEqual(['facts_stale']);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, reasons: [] });
  });

  it('with evidence whose file and metrics differ uses the file', async () => {
    const repo = scenario('boasting');
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const metrics = { unit_tests: { total: 2, passed: 2, failed: 0, skipped: 0 } };
    const files = [{ filename: 'junit.xml', content: junit(2, 1) }];
    expect((await repo.run(sha).upload('v1.0.0', { metrics, files })).status).toBe(201);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', tests_passing: false });
  });

  it('on a slow GitHub gets a closed gate within the deadline', async () => {
    const repo = scenario('slow');
    await repo.approved('v1.0.0');
    env.clock.advance(HOUR_MS);
    env.github.faults.next({ kind: 'delay', ms: 10_000, times: 1_000 });
    const callsBefore = performance.now();
    const answer = await repo.gate('v1.0.0');
    expect(performance.now() - callsBefore).toBeLessThan(9_500);
    env.github.faults.clear();
    expect(answer).toMatchObject({ can_deploy: false });
    expect(codesOf(answer)).toEqual(['facts_stale']);
  });

  it('has only decisions that can be replayed with the same result', async () => {
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
