import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

interface HistoryRow {
  readonly kind: string;
  readonly version: string | null;
  readonly commit_sha: string;
  readonly environment: string;
  readonly approvers: readonly string[];
  readonly decided: boolean;
}

describe('a deployment', () => {
  let env: TestEnvironment;
  const scenario = (name: string, sdlc = PLAIN_POLICY): RepositoryScenario =>
    new RepositoryScenario(env, { name, sdlc });

  const historyOf = async ({ repository }: RepositoryScenario): Promise<readonly HistoryRow[]> =>
    env.database.inTenant(await env.orgId(), (tx) =>
      tx.query<HistoryRow>(
        `select kind, version, commit_sha, environment, approvers, decision_id is not null as decided
         from deployment_record where repository_id = (select id from repository where github_id = $1)
         order by recorded_at`,
        [repository.id],
      ),
    );

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('of the candidate to the target ships the release, with its reviewers', async () => {
    const repo = scenario('shipped');
    const sha = await repo.approved('v1.0.0');
    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    expect(await historyOf(repo)).toEqual([
      {
        kind: 'release',
        version: 'v1.0.0',
        commit_sha: sha,
        environment: 'production',
        approvers: [repo.reviewer.login],
        decided: true,
      },
    ]);
  });

  it('to another environment, or a failed one, ships nothing', async () => {
    const repo = scenario('staged');
    const sha = await repo.approved('v1.0.0');
    await repo.deploy(sha, 'staging');
    env.clock.advance(2_000);
    const failed = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    repo.repository.deployments.setStatus(failed, 'failure');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
    expect(await historyOf(repo)).toEqual([]);
  });

  it('that began before the gate opened is ungoverned, and the release remains active', async () => {
    const repo = scenario('too-early');
    const sha = await repo.evidencing('v1.0.0');
    env.clock.advance(2_000);
    const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    env.clock.advance(2_000);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.deployments.setStatus(deployment, 'success');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
    expect(await historyOf(repo)).toMatchObject([
      { kind: 'ungoverned', commit_sha: sha, approvers: [], decided: false },
    ]);

    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED' });
    expect(await historyOf(repo)).toMatchObject([{ kind: 'ungoverned' }, { kind: 'release' }]);
  });

  it('of any other commit is ungoverned', async () => {
    const repo = scenario('another-commit');
    await repo.approved('v1.0.0');
    const other = repo.commit();
    await env.waitUntilIdle();
    await repo.deploy(other);
    expect(await historyOf(repo)).toMatchObject([{ kind: 'ungoverned', version: null, commit_sha: other }]);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });

  it('is recorded once, however often it is delivered', async () => {
    const repo = scenario('told-twice');
    const sha = await repo.approved('v1.0.0');
    env.clock.advance(2_000);
    env.outbox.faults.next({ kind: 'duplicate', event: 'deployment_status', times: 3 });
    const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    for (const state of ['in_progress', 'success', 'success'] as const) {
      repo.repository.deployments.setStatus(deployment, state);
    }
    await env.waitUntilIdle();
    expect(await historyOf(repo)).toMatchObject([{ kind: 'release', commit_sha: sha }]);
  });

  it('ships the deployed commit although the candidate moved meanwhile', async () => {
    const repo = scenario('moved-on');
    const sha = await repo.approved('v1.0.0');
    env.clock.advance(2_000);
    const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    env.clock.advance(2_000);
    const next = repo.commit();
    await repo.test('v1.0.0', next);
    expect(await repo.gate('v1.0.0')).toMatchObject({ candidate_sha: next, can_deploy: false });
    repo.repository.deployments.setStatus(deployment, 'success');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({
      current_stage: 'DEPLOYED',
      candidate_sha: sha,
      can_deploy: true,
    });
    expect(await repo.gate('v1.0.0', { sha: next })).toMatchObject({ can_deploy: false });
  });

  it('freezes the facts: whatever changes afterwards, the gate stays open for a rollback', async () => {
    const repo = scenario('frozen-facts');
    const sha = await repo.approved('v1.0.0');
    const [milestone] = repo.repository.milestones.list();
    repo.repository.createBranch('release/v1.0.0', sha);
    await env.waitUntilIdle();
    await repo.deploy(sha);
    repo.repository.pulls.close(repo.evidencePull('v1.0.0'));
    repo.repository.issues.create({ title: 'Late', milestone: milestone ?? null });
    repo.commit({ branch: 'release/v1.0.0' });
    if (milestone) repo.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect((await repo.run(sha).uploadTests('v1.0.0', 3, 3)).status).toBe(409);
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({
      current_stage: 'DEPLOYED',
      candidate_sha: sha,
      evidence_pr_approved: true,
      tests_passing: true,
      can_deploy: true,
    });
    env.clock.advance(3_600_000);
    expect(await repo.gate('v1.0.0', { sha, explain: 'false' })).toMatchObject({ can_deploy: true });
  });

  it('of an earlier release is a rollback, and of the same one again is not recorded', async () => {
    const repo = scenario('rolled-back');
    const first = await repo.approved('v1.0.0');
    await repo.deploy(first);
    const second = await repo.approved('v1.1.0');
    await repo.deploy(second);
    await repo.deploy(second);
    await repo.deploy(first);
    expect(await historyOf(repo)).toMatchObject([
      { kind: 'release', version: 'v1.0.0' },
      { kind: 'release', version: 'v1.1.0' },
      { kind: 'rollback', version: 'v1.0.0', commit_sha: first },
    ]);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
  });

  it('again is no rollback after a later release was deployed, however late it is delivered', async () => {
    const repo = scenario('deployed-twice');
    const first = await repo.approved('v1.0.0');
    await repo.deploy(first);
    await repo.deploy(first);
    await repo.deploy(await repo.approved('v1.1.0'));
    // Deployments are searched as long as the repository has an active release.
    repo.milestone('v1.2.0');
    await env.resync();
    expect(await historyOf(repo)).toMatchObject([
      { kind: 'release', version: 'v1.0.0' },
      { kind: 'release', version: 'v1.1.0' },
    ]);
  });

  it('from a hotfix branch is a hotfix', async () => {
    const repo = scenario('hotfix-shipped');
    repo.milestone('v1.0.1');
    const sha = repo.commit({ branch: 'hotfix/v1.0.1' });
    await env.waitUntilIdle();
    await repo.test('v1.0.1', sha);
    repo.approve('v1.0.1');
    await env.waitUntilIdle();
    await repo.deploy(sha);
    expect(await historyOf(repo)).toMatchObject([{ kind: 'hotfix', version: 'v1.0.1' }]);
  });

  it('in a freeze ships nothing', async () => {
    const repo = scenario('against-the-freeze');
    const sha = await repo.approved('v1.0.0');
    const frozen = `${PLAIN_POLICY}freezes: [{ from: 2000-01-01, to: 2999-12-31, reason: audit }]\n`;
    repo.repository.commit({ files: { 'sdlc.yaml': frozen } });
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['freeze']);
    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: false });
    expect(await historyOf(repo)).toMatchObject([{ kind: 'ungoverned' }]);
  });

  it('leaves records that the database role of the service can neither change nor delete', async () => {
    const orgId = await env.orgId();
    for (const table of ['deployment_record', 'stage_transition', 'decision', 'evidence', 'evidence_report']) {
      for (const statement of [`update ${table} set org_id = org_id`, `delete from ${table}`, `truncate ${table}`]) {
        await expect(env.database.inTenant(orgId, (tx) => tx.query(statement))).rejects.toThrow('permission denied');
      }
    }
  });

  it('depends on decisions that can all be replayed with the same result', async () => {
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
