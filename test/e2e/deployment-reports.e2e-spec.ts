import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';
import { codes, ReportScenario, VERSION } from './scenarios/report-scenario.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const UNKNOWN_COMMIT = 'ab'.repeat(20);
const OTHER_BYTES = `sha256:${'cd'.repeat(32)}`;

let env: TestEnvironment;
const scenario = (name: string, sdlc = PLAIN_POLICY): Promise<ReportScenario> => ReportScenario.in(env, { name, sdlc });

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

describe('a reported deployment', () => {
  it('that starts while the gate is open ships the release when it has succeeded', async () => {
    const repo = await scenario('reported');
    const sha = await repo.approved(VERSION);
    const started = await repo.start('d1', { commit_sha: sha });
    expect(started).toMatchObject({
      status: 201,
      body: { kind: 'release', decisionId: expect.any(String), gate: { can_deploy: true, reasons: [] } },
    });
    expect(await repo.history()).toEqual([]);
    env.clock.advance(MINUTE_MS);
    const succeeded = await repo.report('d1', 'succeeded', { version: VERSION });
    expect(succeeded).toMatchObject({
      status: 201,
      body: { deploymentId: started.body.deploymentId, kind: 'release', releaseId: started.body.releaseId },
    });
    expect(await repo.stage()).toBe('DEPLOYED');
    expect(await repo.history()).toEqual([
      {
        kind: 'release',
        version: VERSION,
        commit_sha: sha,
        environment: 'production',
        decided: true,
        github: false,
        reported: true,
      },
    ]);
    await env.hurry();
    expect(await repo.history()).toHaveLength(1);
    await replayStoredDecisions(env);
  });

  it('that succeeds without a start ships nothing and is ungoverned', async () => {
    const repo = await scenario('succeeded-alone');
    const sha = await repo.approved(VERSION);
    expect(await repo.report('d1', 'succeeded', { commit_sha: sha })).toMatchObject({
      status: 201,
      body: { kind: 'ungoverned' },
    });
    // A late start is a repetition.
    const late = await repo.start('d1', { commit_sha: sha });
    expect(late).toMatchObject({ status: 201, body: { kind: 'ungoverned', gate: { can_deploy: false } } });
    expect(codes(late)).toEqual(['deployment_ended']);
    expect(await repo.report('d1', 'succeeded', { commit_sha: sha })).toMatchObject({ status: 201 });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', commit_sha: sha, decided: false }]);
    expect(await repo.stage()).toBe('DEPLOYMENT');
  });

  it('that starts before the gate opens is ungoverned, however often the start is repeated', async () => {
    const repo = await scenario('early');
    const sha = await repo.evidencing(VERSION);
    const early = await repo.start('d1', { commit_sha: sha });
    expect(early).toMatchObject({ status: 201, body: { kind: 'ungoverned', gate: { can_deploy: false } } });
    expect(codes(early)).toContain('approvals_missing');
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    const again = await repo.start('d1', { commit_sha: sha });
    expect(again).toMatchObject({ status: 201, body: { kind: 'ungoverned', gate: { can_deploy: false } } });
    expect(again.body.deploymentId).toBe(early.body.deploymentId);
    expect(codes(again)).toContain('approvals_missing');
    await repo.report('d1', 'succeeded', { commit_sha: sha });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', version: VERSION }]);
    expect(await repo.stage()).toBe('DEPLOYMENT');
  });

  it('ships the commit of its start although the gate closed and the candidate changed meanwhile', async () => {
    const repo = await scenario('closed-meanwhile');
    const sha = await repo.approved(VERSION);
    expect((await repo.start('d1', { version: VERSION })).body.gate?.can_deploy).toBe(true);
    const next = repo.commit();
    await env.waitUntilIdle();
    await repo.test(VERSION, next);
    expect(await repo.gate(VERSION)).toMatchObject({ candidate_sha: next, can_deploy: false });
    // The start was open, but it is not open now.
    const again = await repo.start('d1', { version: VERSION });
    expect(again).toMatchObject({ status: 201, body: { kind: 'release', gate: { can_deploy: false } } });
    expect(await repo.report('d1', 'succeeded', { version: VERSION })).toMatchObject({
      status: 201,
      body: { kind: 'release' },
    });
    expect(await repo.gate(VERSION, { sha })).toMatchObject({ current_stage: 'DEPLOYED', candidate_sha: sha });
  });

  it('is ungoverned if the release shipped another commit meanwhile', async () => {
    const repo = await scenario('overtaken');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha });
    const next = repo.commit();
    await env.waitUntilIdle();
    await repo.test(VERSION, next);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    await repo.deploy(next);
    expect(await repo.stage()).toBe('DEPLOYED');
    expect(await repo.report('d1', 'succeeded', { commit_sha: sha })).toMatchObject({ body: { kind: 'ungoverned' } });
    expect(await repo.history()).toMatchObject([
      { kind: 'release', commit_sha: next },
      { kind: 'ungoverned', commit_sha: sha },
    ]);
  });

  it('that fails or is cancelled changes nothing, and cannot succeed later', async () => {
    const repo = await scenario('failed');
    const sha = await repo.approved(VERSION);
    for (const status of ['failed', 'cancelled']) {
      await repo.start(status, { commit_sha: sha });
      expect(await repo.report(status, status, { commit_sha: sha })).toMatchObject({
        status: 201,
        body: { kind: null },
      });
      expect(await repo.report(status, status, { commit_sha: sha })).toMatchObject({ status: 201 });
      const succeeded = await repo.report(status, 'succeeded', { commit_sha: sha });
      expect([succeeded.status, succeeded.errorCode]).toEqual([409, 'deployment_ended']);
      expect(codes(await repo.start(status, { commit_sha: sha }))).toEqual(['deployment_ended']);
    }
    expect(await repo.history()).toEqual([]);
    expect(await repo.stage()).toBe('DEPLOYMENT');
  });

  it('without an end is unknown after 24 hours, and a late success ships nothing', async () => {
    const repo = await scenario('too-long');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha });
    env.clock.advance(24 * HOUR_MS);
    expect(codes(await repo.start('d1', { commit_sha: sha }))).toEqual(['deployment_ended']);
    const late = await repo.report('d1', 'succeeded', { commit_sha: sha });
    expect(late).toMatchObject({ status: 201, body: { kind: 'ungoverned' } });
    expect(await repo.stage()).not.toBe('DEPLOYED');
  });

  it('ends as unknown when ten later ones to the environment have started', async () => {
    const repo = await scenario('eleven');
    const sha = await repo.approved(VERSION);
    for (let n = 0; n <= 10; n += 1)
      await repo.start(`d${n}`, { commit_sha: sha, environment: n % 2 ? 'Production' : 'production' });
    await repo.start('elsewhere', { commit_sha: sha, environment: 'staging' });
    const unknown = await env.asSuperuser(
      `select d.reported_id from deployment_report r join reported_deployment d on d.id = r.deployment_id
       where r.status = 'unknown' and d.commit_sha = '${sha}'`,
    );
    expect(unknown).toEqual([{ reported_id: 'd0' }]);
    await repo.report('d0', 'succeeded', { commit_sha: sha });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned' }]);
    await repo.report('d1', 'succeeded', { commit_sha: sha, environment: 'PRODUCTION' });
    expect(await repo.history()).toMatchObject([
      { kind: 'ungoverned' },
      { kind: 'release', environment: 'Production' },
    ]);
  });

  it('of the running commit makes no row, and one of an earlier release is a rollback', async () => {
    const repo = await scenario('rolled-back-by-report');
    const deploy = async (id: string, sha: string): Promise<string | null | undefined> => {
      await repo.start(id, { commit_sha: sha });
      env.clock.advance(MINUTE_MS);
      return (await repo.report(id, 'succeeded', { commit_sha: sha })).body.kind;
    };
    const first = await repo.approved(VERSION);
    expect(await deploy('d1', first)).toBe('release');
    expect(await deploy('d2', first)).toBeNull();
    const second = await repo.approved('v1.1.0');
    expect(await deploy('d3', second)).toBe('release');
    expect(await deploy('d4', first)).toBe('rollback');
    // Without a start nothing is governed.
    expect((await repo.report('d5', 'succeeded', { commit_sha: first })).body.kind).toBe('ungoverned');
    expect((await repo.report('d6', 'succeeded', { commit_sha: second })).body.kind).toBeNull();
    expect(await repo.history()).toMatchObject([
      { kind: 'release', version: VERSION },
      { kind: 'release', version: 'v1.1.0' },
      { kind: 'rollback', version: VERSION },
      { kind: 'ungoverned', version: VERSION },
    ]);
  });

  it('of an unknown commit is stored, and is ungoverned', async () => {
    const repo = await scenario('unknown-commit');
    await repo.approved(VERSION);
    const started = await repo.start('d1', { commit_sha: UNKNOWN_COMMIT });
    expect(started).toMatchObject({ status: 201, body: { kind: 'ungoverned', gate: { can_deploy: false } } });
    expect(codes(started)).toEqual(['not_the_candidate']);
    expect(started.body).not.toHaveProperty('releaseId');
    await repo.report('d1', 'succeeded', { commit_sha: UNKNOWN_COMMIT });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', commit_sha: UNKNOWN_COMMIT, version: null }]);
  });

  it('to another environment has no kind and makes no row', async () => {
    const repo = await scenario('elsewhere');
    const sha = await repo.approved(VERSION);
    const started = await repo.start('d1', { commit_sha: sha, environment: 'qa' });
    expect(started).toMatchObject({ status: 201, body: { kind: null, gate: { can_deploy: false } } });
    expect(codes(started)).toEqual(['environment_not_named']);
    const ended = await repo.report('d1', 'succeeded', { commit_sha: sha, environment: 'QA' });
    expect(ended).toMatchObject({ status: 201, body: { kind: null, deploymentId: started.body.deploymentId } });
    // The same id in another environment is another deployment.
    expect((await repo.start('d1', { commit_sha: sha })).body.deploymentId).not.toBe(started.body.deploymentId);
    expect(await repo.history()).toEqual([]);
  });

  it('to an environment before the target is answered by the gate of that environment', async () => {
    const repo = await scenario('chain', `${PLAIN_POLICY}  testing: { deploy_target: staging }\n`);
    const sha = await repo.evidencing(VERSION);
    const toStaging = await repo.start('d1', { commit_sha: sha, environment: 'Staging' });
    expect(toStaging).toMatchObject({ status: 201, body: { kind: null, gate: { can_deploy: true, reasons: [] } } });
    const toTarget = await repo.start('d2', { commit_sha: sha });
    expect(toTarget).toMatchObject({ status: 201, body: { kind: 'ungoverned', gate: { can_deploy: false } } });
    expect(codes(toTarget)).toEqual(['approvals_missing']);
    const other = await repo.start('d3', { commit_sha: UNKNOWN_COMMIT, environment: 'staging' });
    expect([codes(other), other.body.gate?.can_deploy]).toEqual([['not_the_candidate'], false]);
    await repo.report('d1', 'succeeded', { commit_sha: sha, environment: 'staging' });
    expect(await repo.history()).toEqual([]);
  });

  it('is governed by the environment at its start, although the target changed meanwhile', async () => {
    const repo = await scenario('moved-target');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha, environment: 'live' });
    repo.repository.commit({ files: { 'sdlc.yaml': `${PLAIN_POLICY}  deployment: { target: live }\n` } });
    await env.waitUntilIdle();
    expect((await repo.report('d1', 'succeeded', { commit_sha: sha, environment: 'live' })).body.kind).toBe(
      'ungoverned',
    );
  });
});

describe('a report', () => {
  it('names one commit', async () => {
    const repo = await scenario('one-commit');
    const sha = await repo.approved(VERSION);
    const other = repo.commit({ branch: 'other' });
    const refused = async (more: object): Promise<readonly [number, string | null]> => {
      const { status, errorCode } = await repo.start('refused', more);
      return [status, errorCode];
    };
    expect(await refused({})).toEqual([400, null]);
    expect(await refused({ commit_sha: other, version: VERSION })).toEqual([409, 'commits_disagree']);
    expect(await refused({ version: 'v9.9.9' })).toEqual([404, null]);
    expect(await refused({ digest: `sha256:${'0'.repeat(64)}`, commit_sha: sha })).toEqual([404, null]);
    repo.milestone('v2.0.0');
    await env.waitUntilIdle();
    expect((await repo.start('d1', { commit_sha: sha, version: VERSION })).status).toBe(201);
    const end = async (more: object): Promise<readonly [number, string | null]> => {
      const { status, errorCode } = await repo.report('d1', 'succeeded', more);
      return [status, errorCode];
    };
    expect(await end({ commit_sha: other })).toEqual([409, 'other_commit']);
    expect(await end({ commit_sha: sha, digest: `sha256:${'0'.repeat(64)}` })).toEqual([404, null]);
    expect(await repo.history()).toEqual([]);
  });

  it('of other bytes ships nothing, although its start was governed', async () => {
    const repo = await scenario('other-bytes');
    const sha = await repo.evidencing(VERSION);
    // The policy accepts no artifact, so the digest is known and not accepted.
    await repo.stateArtifact(sha, { name: 'api', digest: OTHER_BYTES });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect((await repo.start('d1', { commit_sha: sha })).body).toMatchObject({ kind: 'release' });
    const ended = await repo.report('d1', 'succeeded', { digest: OTHER_BYTES });
    expect(ended).toMatchObject({ status: 201, body: { kind: 'ungoverned' } });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', commit_sha: sha }]);
    expect(await repo.stage()).toBe('DEPLOYMENT');
  });

  it('may name the digest that was accepted at its start, although a newer one counts now', async () => {
    const required = 'testing: { required_artifacts: [{ name: api, provenance: false }] }';
    const repo = await scenario('newer-digest', `${PLAIN_POLICY}  ${required}\n`);
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.run(sha).uploadTests(VERSION);
    const digest = `sha256:${'ef'.repeat(32)}`;
    await repo.stateArtifact(sha, { name: 'api', digest });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect((await repo.start('d1', { digest })).body).toMatchObject({ kind: 'release', gate: { can_deploy: true } });
    await repo.stateArtifact(sha, { name: 'api', digest: OTHER_BYTES });
    expect((await repo.report('d1', 'succeeded', { digest })).body).toMatchObject({ kind: 'release' });
    expect(await repo.stage()).toBe('DEPLOYED');
  });

  it('states a time that is only shown', async () => {
    const repo = await scenario('an-hour-off');
    const sha = await repo.evidencing(VERSION);
    const at = (ms: number): string => new Date(env.clock.now().getTime() + ms).toISOString();
    expect((await repo.start('d1', { commit_sha: sha, at: at(6 * MINUTE_MS) })).status).toBe(400);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    // By its clock it started before the gate opened.
    expect(await repo.start('d1', { commit_sha: sha, at: at(-HOUR_MS) })).toMatchObject({ status: 201 });
    await repo.report('d1', 'succeeded', { commit_sha: sha, at: at(4 * MINUTE_MS) });
    expect(await repo.history()).toMatchObject([{ kind: 'release' }]);
    const [row] = await env.asSuperuser<{ later: boolean }>(
      `select deployed_at > recorded_at as later from deployment_record where commit_sha = '${sha}'`,
    );
    expect(row).toEqual({ later: false });
  });

  it('is stored once, however many arrive at once', async () => {
    const repo = await scenario('at-once');
    const sha = await repo.approved(VERSION);
    const starts = await Promise.all(Array.from({ length: 6 }, () => repo.start('d1', { commit_sha: sha })));
    expect(new Set(starts.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(starts.map(({ body }) => body.deploymentId)).size).toBe(1);
    const ends = await Promise.all(
      Array.from({ length: 6 }, () => repo.report('d1', 'succeeded', { commit_sha: sha })),
    );
    expect(ends.map(({ status, body }) => [status, body.kind])).toEqual(ends.map(() => [201, 'release']));
    expect(await repo.history()).toHaveLength(1);
    const entries = await env.asSuperuser(
      `select data ->> 'status' as status from audit_entry where action = 'deployment.reported' and data ->> 'commitSha' = '${sha}'
       order by sequence`,
    );
    expect(entries).toEqual([{ status: 'started' }, { status: 'succeeded' }]);
    expect(
      await env.asSuperuser(
        `select count(*)::int as n from event where type = 'deployment.updated' and release_id = '${starts[0]?.body.releaseId}'`,
      ),
    ).toEqual([{ n: 2 }]);
  });
});

describe('an identity token', () => {
  it('reports the deployment of its own commit to its own environment', async () => {
    const repo = await scenario('by-token');
    const sha = await repo.approved(VERSION);
    const run = repo.run(sha, { environment: 'Production' });
    const started = await repo.sendFrom(run, { deployment: 'd1', status: 'started', version: VERSION });
    expect(started).toMatchObject({ status: 201, body: { kind: 'release', gate: { can_deploy: true } } });
    const other = repo.run(repo.commit({ branch: 'other' }), { environment: 'production' });
    const end = { deployment: 'd1', status: 'succeeded', version: VERSION };
    expect((await repo.sendFrom(other, end)).status).toBe(403);
    expect((await repo.sendFrom(other, { ...end, status: 'failed' })).status).toBe(403);
    expect(await repo.sendFrom(run, end)).toMatchObject({ status: 201, body: { kind: 'release' } });
  });

  it('is rejected for another commit, environment, repository or event', async () => {
    const events = `${PLAIN_POLICY}evidence_events: [pull_request, pull_request_target, workflow_run]\n`;
    const repo = await scenario('by-wrong-token', events);
    const neighbor = await scenario('neighbor');
    const sha = await repo.approved(VERSION);
    const start = { deployment: 'd1', status: 'started', commit_sha: sha };
    const statusOf = async (run: ReturnType<ReportScenario['run']>, body: object = start): Promise<number> =>
      (await repo.sendFrom(run, body)).status;
    const environment = 'production';
    expect(await statusOf(repo.run(repo.commit({ branch: 'other' }), { environment }))).toBe(403);
    expect(await statusOf(repo.run(sha, { environment: 'staging' }))).toBe(403);
    expect(await statusOf(repo.run(sha))).toBe(403);
    expect(await statusOf(repo.run(sha, { environment, event: 'pull_request' }))).toBe(403);
    expect(await statusOf(repo.run(sha, { environment, event: 'pull_request_target' }))).toBe(403);
    expect(await statusOf(repo.run(sha, { environment, event: 'issue_comment' }))).toBe(403);
    expect(await statusOf(neighbor.run(neighbor.head(), { environment }))).toBe(404);
    expect(await env.asSuperuser(`select from reported_deployment where commit_sha = '${sha}'`)).toEqual([]);
    // A deployment that is ungoverned anyway may be reported from any commit.
    const unknown = { ...start, deployment: 'd2', commit_sha: UNKNOWN_COMMIT };
    expect(await statusOf(repo.run(sha, { environment }), unknown)).toBe(201);
    expect(await statusOf(repo.run(sha, { environment, event: 'workflow_run' }))).toBe(201);
  });

  it('of an environment whose name only looks alike reports nothing for the other one', async () => {
    const repo = await scenario('look-alikes', `${PLAIN_POLICY}  deployment: { target: backing }\n`);
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha, environment: 'backing' });
    // The lower case of the Kelvin sign is a k, and many databases make an i of the other letter.
    for (const claim of ['bac\u{212A}ing', 'back\u{130}ng']) {
      const end = { deployment: 'd1', status: 'succeeded', commit_sha: sha };
      const run = repo.run(sha, { environment: claim });
      expect(await repo.sendFrom(run, { ...end, environment: 'backing' })).toMatchObject({ status: 403 });
      expect(await repo.sendFrom(run, { ...end, environment: claim })).toMatchObject({ status: 400 });
    }
    expect(await repo.history()).toEqual([]);
    const run = repo.run(sha, { environment: 'BACKING' });
    const end = { deployment: 'd1', status: 'succeeded', commit_sha: sha, environment: 'Backing' };
    expect(await repo.sendFrom(run, end)).toMatchObject({ status: 201, body: { kind: 'release' } });
  });

  it('stores at most 50 reports', async () => {
    const repo = await scenario('by-one-token');
    const sha = await repo.approved(VERSION);
    const token = await repo.run(sha, { environment: 'production' }).token();
    const start = (n: number): Promise<{ readonly status: number }> =>
      repo.send({ deployment: `d${n}`, status: 'started', commit_sha: UNKNOWN_COMMIT }, token);
    for (let n = 0; n < 50; n += 1) expect((await start(n)).status).toBe(201);
    expect((await start(50)).status).toBe(429);
    expect((await start(49)).status).toBe(201);
  });
});

describe('an API key', () => {
  it('needs the scope, and a list of repositories that includes this one', async () => {
    const repo = await scenario('by-key');
    const neighbor = await scenario('by-key-neighbor');
    const sha = await repo.approved(VERSION);
    await env.waitUntilIdle();
    const start = { deployment: 'd1', status: 'started', commit_sha: sha };
    expect((await repo.send(start, await env.key(['evidence:write', 'gate:read']))).status).toBe(403);
    const narrow = await env.key(['deployment:write'], env.organization, [neighbor.repository.name]);
    expect((await repo.send(start, narrow)).status).toBe(404);
    const own = await env.key(['deployment:write'], env.organization, [repo.repository.name]);
    expect((await repo.send(start, own)).status).toBe(201);
  });
});
