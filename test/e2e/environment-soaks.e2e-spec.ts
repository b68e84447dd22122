import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { HoldScenario, VERSION } from './scenarios/hold-scenario.js';
import { ReportScenario } from './scenarios/report-scenario.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SOAK_MS = 30 * MINUTE_MS;
const OTHER_BYTES = `sha256:${'cd'.repeat(32)}`;
const POLICY = `version: v1
stages:
  development: { deploy_target: dev }
  testing: { deploy_target: Staging, soak: 30m }
  evidencing: { required_evidence: [{ kind: unit_tests }] }
  deployment: { requires_evidence_approval: false }
`;

let env: TestEnvironment;
let interrupted = 0;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

/** Advances the clock, and runs the jobs that are due then. */
async function later(milliseconds: number): Promise<void> {
  // A job of the present may enqueue the one that reads the deployments next. Without it the soak would have a gap.
  await env.waitUntilIdle();
  // A quarter of the longest time between two reads: a job that is enqueued during a step runs in the next one.
  for (let rest = milliseconds; rest > 0; rest -= 5 * MINUTE_MS) {
    env.clock.advance(Math.min(rest, 5 * MINUTE_MS));
    await env.hurry();
  }
}

describe('a soak in an environment', () => {
  it('opens the gate at its end by a job, and stays completed after another deployment', async () => {
    const repo = new RepositoryScenario(env, { name: 'soaks', sdlc: POLICY });
    const sha = await repo.evidencing(VERSION);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['not_deployed_to_stage']);
    await repo.deploy(sha, 'staging');
    const soaking = await repo.gate(VERSION, { explain: 'true' });
    expect(soaking).toMatchObject({ can_deploy: false, current_stage: 'TESTING', tests_passing: true });
    expect(soaking.reasons).toMatchObject([{ code: 'soaking', endsAt: expect.stringMatching(/^2\d{3}-.*:00\.000Z$/) }]);
    await later(SOAK_MS - 2 * MINUTE_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['soaking']);
    await later(5 * MINUTE_MS);
    expect(await stageOf(repo)).toBe('DEPLOYMENT');
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await repo.deploy(repo.commit(), 'staging');
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  });

  it('begins again with another deployment, and after a time in which GitHub could not be read', async () => {
    const repo = new RepositoryScenario(env, { name: 'begins-again', sdlc: POLICY });
    const sha = await repo.evidencing(VERSION);
    const other = repo.commit();
    await repo.deploy(sha, 'staging');
    await later(20 * MINUTE_MS);
    await repo.deploy(other, 'staging');
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toContain('not_deployed_to_stage');
    await repo.deploy(sha, 'staging');
    await later(10 * MINUTE_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['soaking']);
    const readable = await env.asSuperuser<{ readonly since: Date }>(
      `select known_since as since from observation where kind = 'deployments' and repository_id = '${await repo.repositoryId()}'`,
    );
    // No job runs in this time.
    env.clock.advance(2 * HOUR_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['soaking']);
    const [again] = await env.asSuperuser<{ readonly since: Date }>(
      `select known_since as since from observation where kind = 'deployments' and repository_id = '${await repo.repositoryId()}'`,
    );
    expect(again!.since.getTime()).toBeGreaterThan(readable[0]!.since.getTime() + HOUR_MS);
  });
});

describe('a soak, if an older deployment of GitHub succeeds late', () => {
  const NEWER = 30;

  /** Creates a deployment of another commit, and the candidate's as the latest of many newer ones. */
  async function soaking(name: string, state?: 'in_progress') {
    const repo = new RepositoryScenario(env, { name, sdlc: POLICY });
    const sha = await repo.evidencing(VERSION);
    const { deployments } = repo.repository;
    repo.repository.createBranch('other', sha);
    const older = deployments.create({ ref: repo.commit({ branch: 'other' }), environment: 'staging' });
    if (state) deployments.setStatus(older, state);
    await env.waitUntilIdle();
    env.clock.advance(MINUTE_MS);
    for (let count = 0; count < NEWER; count += 1) deployments.create({ ref: sha, environment: 'staging' });
    await repo.deploy(sha, 'staging');
    await later(20 * MINUTE_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['soaking']);
    // GitHub ends no other deployment with this success.
    return { repo, older, succeed: () => deployments.setStatus(older, 'success', { autoInactive: false }) };
  }

  it('does not complete after the delivery of the success', async () => {
    const { repo, succeed } = await soaking('older-delivered');
    succeed();
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['not_deployed_to_stage']);
    await later(15 * MINUTE_MS);
    expect(await stageOf(repo)).toBe('TESTING');
    await replayStoredDecisions(env);
  });

  it('does not complete without that delivery, if it was known that the deployment runs', async () => {
    const { repo, older } = await soaking('older-running', 'in_progress');
    const { state } = repo.repository;
    // Without an event.
    older.statuses.push({ ...older.statuses[0]!, id: state.nextId(), state: 'success', createdAt: state.now() });
    await later(15 * MINUTE_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['not_deployed_to_stage']);
    expect(await stageOf(repo)).toBe('TESTING');
  });
});

describe('a soak, if the deployment of another commit was deleted', () => {
  it('does not go on from before that deployment', async () => {
    const repo = new RepositoryScenario(env, { name: 'deleted-deployment', sdlc: POLICY });
    const sha = await repo.evidencing(VERSION);
    const { deployments } = repo.repository;
    repo.repository.createBranch('other', sha);
    const other = repo.commit({ branch: 'other' });
    await repo.deploy(sha, 'staging');
    await later(20 * MINUTE_MS);
    const deployed = deployments.create({ ref: other, environment: 'staging' });
    // GitHub ends the deployment of the candidate with no status.
    deployments.setStatus(deployed, 'success', { autoInactive: false });
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['not_deployed_to_stage']);
    deployments.delete(deployed);
    const failed = deployments.create({ ref: other, environment: 'staging' });
    deployments.setStatus(failed, 'failure');
    await later(20 * MINUTE_MS);
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['not_deployed_to_stage']);
    await repo.deploy(sha, 'staging');
    expect(codesOf(await repo.gate(VERSION, { explain: 'true' }))).toEqual(['soaking']);
  });
});

describe('a soak of a reported deployment', () => {
  const STAGING = { environment: 'STAGING' };
  const scenario = (name: string, sdlc = POLICY): Promise<ReportScenario> => ReportScenario.in(env, { name, sdlc });
  const reasons = async (repo: ReportScenario): Promise<readonly string[]> =>
    codesOf(await repo.gate(VERSION, { explain: 'true' }));

  async function deployed(repo: ReportScenario, id: string, sha: string, more: object = {}): Promise<void> {
    await repo.start(id, { commit_sha: sha, ...STAGING, ...more });
    env.clock.advance(MINUTE_MS);
    expect(await repo.report(id, 'succeeded', { commit_sha: sha, ...STAGING, ...more })).toMatchObject({ status: 201 });
  }

  it('begins when its success is received, and opens the gate at its end by a job', async () => {
    const repo = await scenario('reported-soak');
    const sha = await repo.evidencing(VERSION);
    await repo.start('d1', { commit_sha: sha, ...STAGING });
    expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
    await repo.report('d1', 'succeeded', { commit_sha: sha, ...STAGING });
    expect(await reasons(repo)).toEqual(['soaking']);
    await later(SOAK_MS - 2 * MINUTE_MS);
    expect(await reasons(repo)).toEqual(['soaking']);
    await later(5 * MINUTE_MS);
    expect(await stageOf(repo)).toBe('DEPLOYMENT');
    await replayStoredDecisions(env);
    // It stays completed.
    await deployed(repo, 'd2', repo.commit());
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  });

  it.each<[string, (repo: ReportScenario, other: string, sha: string) => Promise<void>]>([
    ['another commit, without waiting for GitHub', (repo, other) => deployed(repo, 'd2', other)],
    [
      'another commit without a start',
      async (repo, other) => {
        await repo.report('d2', 'succeeded', { commit_sha: other, ...STAGING });
      },
    ],
    [
      'another commit at GitHub',
      async (repo, other) => {
        await repo.deploy(other, 'staging');
      },
    ],
    ['other bytes of its commit', (repo, _other, sha) => deployed(repo, 'd2', sha, { digest: OTHER_BYTES })],
    [
      'other bytes of its commit without a start',
      async (repo, _other, sha) => {
        await repo.report('d2', 'succeeded', { commit_sha: sha, digest: OTHER_BYTES, ...STAGING });
      },
    ],
    [
      'another commit whose end is not reported',
      async (repo, other) => {
        for (let index = 0; index <= 10; index += 1)
          await repo.start(`n${index}`, { commit_sha: index === 0 ? other : repo.head(), ...STAGING });
      },
    ],
  ])('ends with %s', async (_, interrupt) => {
    const repo = await scenario(`interrupted-${(interrupted += 1)}`);
    const sha = await repo.evidencing(VERSION);
    repo.repository.createBranch('other', sha);
    const other = repo.commit({ branch: 'other' });
    await deployed(repo, 'd1', sha);
    await later(20 * MINUTE_MS);
    expect(await reasons(repo)).toEqual(['soaking']);
    // The policy accepts no artifact, so the digest is known and not accepted.
    await repo.stateArtifact(sha, { name: 'api', digest: OTHER_BYTES });
    await interrupt(repo, other, sha);
    expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
    await later(15 * MINUTE_MS);
    expect(await stageOf(repo)).toBe('TESTING');
    await deployed(repo, 'd3', sha);
    await later(20 * MINUTE_MS);
    expect(await reasons(repo)).toEqual(['soaking']);
    await later(15 * MINUTE_MS);
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await replayStoredDecisions(env);
  });

  it('does not begin with other bytes of the candidate', async () => {
    const repo = await scenario('other-bytes');
    const sha = await repo.evidencing(VERSION);
    await repo.stateArtifact(sha, { name: 'api', digest: OTHER_BYTES });
    await deployed(repo, 'd1', sha, { digest: OTHER_BYTES });
    expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
    await replayStoredDecisions(env);
  });

  it('needs a start and a success', async () => {
    const repo = await scenario('unfinished');
    const sha = await repo.evidencing(VERSION);
    for (const status of ['succeeded', 'failed', 'cancelled']) {
      if (status !== 'succeeded') await repo.start(status, { commit_sha: sha, ...STAGING });
      await repo.report(status, status, { commit_sha: sha, ...STAGING });
      expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
    }
    await deployed(repo, 'd1', sha);
    await repo.start('other', { commit_sha: 'ef'.repeat(20), ...STAGING });
    await repo.report('other', 'failed', { commit_sha: 'ef'.repeat(20), ...STAGING });
    // Neither a failed deployment nor one to another environment interrupts it.
    await repo.start('dev', { commit_sha: 'ef'.repeat(20), environment: 'dev' });
    await repo.report('dev', 'succeeded', { commit_sha: 'ef'.repeat(20), environment: 'dev' });
    await later(SOAK_MS + 2 * MINUTE_MS);
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  });

  it.each(['started', 'succeeded'])('is not proven by a run of another commit that reports %s', async (foreign) => {
    const repo = await scenario(`of-another-run-${foreign}`);
    repo.milestone(VERSION);
    const sha = repo.commit();
    repo.repository.createBranch('other', sha);
    const other = repo.run(repo.commit({ branch: 'other' }), { environment: 'staging' });
    const own = repo.run(sha, { environment: 'staging' });
    await env.waitUntilIdle();
    // The commit is the candidate of no release yet, so every run may report it.
    for (const status of ['started', 'succeeded']) {
      const run = status === foreign ? other : own;
      const report = { deployment: 'd1', commit_sha: sha, environment: 'staging', status };
      expect(await repo.sendFrom(run, report)).toMatchObject({ status: 201 });
    }
    await repo.test(VERSION, sha);
    expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
    await deployed(repo, 'd2', sha);
    expect(await reasons(repo)).toEqual(['soaking']);
  });

  it('is not proven by a run of another commit that reported it to the target', async () => {
    const target = POLICY.replace('{ requires', '{ target: live, requires');
    const repo = await scenario('of-another-target', target);
    const sha = await repo.evidencing(VERSION);
    repo.repository.createBranch('other', sha);
    const other = repo.run(repo.commit({ branch: 'other' }), { environment: 'live' });
    // The gate of the target is closed, so every run may report it.
    for (const status of ['started', 'succeeded']) {
      const report = { deployment: 'd1', commit_sha: sha, environment: 'live', status };
      expect(await repo.sendFrom(other, report)).toMatchObject({ status: 201 });
    }
    repo.repository.commit({ files: { 'sdlc.yaml': POLICY.replace('Staging', 'live') } });
    await env.waitUntilIdle();
    expect(await reasons(repo)).toEqual(['not_deployed_to_stage']);
  });

  it('lets evidence count that began after its success', async () => {
    const after = `version: v1
stages:
  testing: { deploy_target: staging }
  evidencing: { required_evidence: [{ kind: unit_tests, after_deployment: true }] }
  deployment: { requires_evidence_approval: false }
`;
    const repo = await scenario('after-report', after);
    const sha = await repo.evidencing(VERSION);
    const early = repo.workflow(sha, 'test');
    await env.waitUntilIdle();
    env.clock.advance(MINUTE_MS);
    await deployed(repo, 'd1', sha);
    await repo.job(early, 'test').uploadTests(VERSION);
    await env.waitUntilIdle();
    expect(await reasons(repo)).toContain('evidence_missing');
    env.clock.advance(MINUTE_MS);
    const late = repo.workflow(sha, 'test');
    await repo.job(late, 'test').uploadTests(VERSION);
    await env.waitUntilIdle();
    expect(await reasons(repo)).toEqual([]);
  });
});

describe('the gate of an environment', () => {
  it('is open for the candidate in its stage, and the protection rule answers by it', async () => {
    const repo = new HoldScenario(env, { name: 'chain', sdlc: POLICY });
    repo.repository.environments.create('staging').enable(env.githubApp);
    const sha = await repo.evidencing(VERSION);
    const ask = (environment: string, commit = sha) =>
      repo.gate(VERSION, { environment, sha: commit, explain: 'true' });
    expect(await ask('staging')).toMatchObject({ can_deploy: true, current_stage: 'TESTING', reasons: [] });
    expect(await ask('DEV')).toMatchObject({ can_deploy: true });
    expect(codesOf(await ask('staging', repo.commit()))).toEqual(['not_the_candidate']);
    await env.waitUntilIdle();
    expect(codesOf(await ask('production'))).toEqual(['not_deployed_to_stage']);
    await expect(ask('qa')).rejects.toThrow('the gate answered 404');
    const run = repo.request(sha, { environment: 'staging' });
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual(['approved']);
    const production = repo.request(sha);
    await env.waitUntilIdle();
    expect(repo.answers(production)).toEqual([]);
  });
});

async function stageOf(repo: RepositoryScenario): Promise<string | undefined> {
  const [row] = await env.asSuperuser<{ readonly stage: string }>(
    `select stage from release where repository_id = '${await repo.repositoryId()}' and version = '${VERSION}'`,
  );
  return row?.stage;
}
