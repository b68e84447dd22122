import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import type { Deployment } from '../github-sim/state/deployments.js';
import { TestEnvironment } from '../support/test-environment.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';
import { ReportScenario, VERSION } from './scenarios/report-scenario.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let env: TestEnvironment;
let ada: UserSession;
const scenario = (name: string, more: { private?: boolean } = {}): Promise<ReportScenario> =>
  ReportScenario.in(env, { name, sdlc: PLAIN_POLICY, ...more });

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  ada = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

/** A deployment of GitHub whose statuses name a run, and which has begun. */
function begin({ repository }: ReportScenario, sha: string, runId: number): Deployment {
  env.clock.advance(5 * SECOND_MS);
  const deployment = repository.deployments.create({ ref: sha, environment: 'production' });
  const targetUrl = `${repository.htmlUrl}/actions/runs/${runId}/job/1`;
  repository.deployments.setStatus(deployment, 'in_progress', { targetUrl });
  env.clock.advance(5 * SECOND_MS);
  return deployment;
}

async function succeed({ repository }: ReportScenario, deployment: Deployment, runId: number): Promise<void> {
  env.clock.advance(5 * SECOND_MS);
  const targetUrl = `${repository.htmlUrl}/actions/runs/${runId}/job/1`;
  repository.deployments.setStatus(deployment, 'success', { targetUrl });
  await env.waitUntilIdle();
}

describe('a report that was answered with 201 is not lost', () => {
  it('while the scope of the release is being changed', async () => {
    const repo = await scenario('scope-changes');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha });
    const expires = new Date(env.clock.now().getTime() + MINUTE_MS).toISOString();
    await env.asSuperuser(
      `insert into scope_lock (org_id, repository_id, issue_number, release_id, lock_token, expires_at)
       select org_id, repository_id, 1, id, '${randomUUID()}', '${expires}' from release where candidate_sha = '${sha}'`,
    );
    const succeeded = await repo.report('d1', 'succeeded', { commit_sha: sha });
    expect(succeeded).toMatchObject({ status: 201, body: { kind: null } });
    expect(await repo.history()).toEqual([]);
    await env.asSuperuser('delete from scope_lock');
    await env.hurry();
    expect(await repo.history()).toMatchObject([{ kind: 'release', commit_sha: sha }]);
    expect(await repo.report('d1', 'succeeded', { commit_sha: sha })).toMatchObject({ body: { kind: 'release' } });
  });

  it('if the process stops right after it was stored', async () => {
    const repo = await scenario('interrupted');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha });
    // Nothing but the report and its job is stored when the process stops.
    await env.asSuperuser(
      `create function stop() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
    );
    await env.asSuperuser(`create trigger stop before insert on deployment_record execute function stop()`);
    const succeeded = await repo.report('d1', 'succeeded', { commit_sha: sha });
    expect(succeeded).toMatchObject({ status: 201, body: { kind: null } });
    await env.asSuperuser('drop trigger stop on deployment_record');
    await env.asSuperuser('drop function stop()');
    expect(await repo.stage()).toBe('DEPLOYMENT');
    await env.hurry();
    expect(await repo.history()).toMatchObject([{ kind: 'release' }]);
  });

  it('without a job, because the next sync records it', async () => {
    const repo = await scenario('lost-job');
    const sha = await repo.approved(VERSION);
    await repo.start('d1', { commit_sha: sha });
    repo.repository.commit({ files: { 'sdlc.yaml': 'version: v9' } });
    await env.waitUntilIdle();
    expect(await repo.report('d1', 'succeeded', { commit_sha: sha })).toMatchObject({
      status: 201,
      body: { kind: null },
    });
    await env.asSuperuser(`delete from ${JOB_TABLE} where key like 'reported-deployment:%'`);
    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.resync();
    expect(await repo.history()).toMatchObject([{ kind: 'release', commit_sha: sha }]);
  });
});

describe('the end of a deployment that was never reported', () => {
  it('is stored as unknown by a job, and shown before', async () => {
    const repo = await scenario('never-ended', { private: false });
    const sha = await repo.approved(VERSION);
    const { body } = await repo.start('d1', { commit_sha: sha });
    const list = async (): Promise<unknown> => {
      const answer = await ada.get('/api/deployments?repo=acme/never-ended');
      return (answer.body['deployments'] as readonly { status: string }[]).map(({ status }) => status);
    };
    expect(await list()).toEqual(['started']);
    // The database says that the job is due, but it is not.
    await env.hurry();
    expect(await list()).toEqual(['started']);
    env.clock.advance(DAY_MS);
    ada = await signIn(env, ada.user, { role: 'admin' });
    expect(await list()).toEqual(['unknown']);
    const stored = `select status from deployment_report where deployment_id = '${String(body.deploymentId)}' order by id`;
    expect(await env.asSuperuser(stored)).toEqual([{ status: 'started' }]);
    await env.hurry();
    expect(await env.asSuperuser(stored)).toEqual([{ status: 'started' }, { status: 'unknown' }]);
    await env.hurry();
    expect(await env.asSuperuser(stored)).toHaveLength(2);
  });
});

describe("GitHub's deployment of the same run", () => {
  it('is the same deployment: one row, which both allow', async () => {
    const repo = await scenario('both');
    const sha = await repo.approved(VERSION);
    const deployment = begin(repo, sha, 9_001);
    await env.waitUntilIdle();
    const run = repo.run(sha, { environment: 'production', runId: 9_001 });
    const report = { deployment: 'd1', commit_sha: sha };
    await repo.sendFrom(run, { ...report, status: 'started' });
    expect(await repo.sendFrom(run, { ...report, status: 'succeeded' })).toMatchObject({ body: { kind: 'release' } });
    await succeed(repo, deployment, 9_001);
    expect(await repo.history()).toMatchObject([{ kind: 'release', github: true, reported: true }]);
  });

  it('that began before the gate opened makes the row ungoverned', async () => {
    const repo = await scenario('began-early');
    const sha = await repo.evidencing(VERSION);
    const deployment = begin(repo, sha, 9_002);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    const run = repo.run(sha, { environment: 'production', runId: 9_002 });
    const report = { deployment: 'd1', commit_sha: sha };
    expect(await repo.sendFrom(run, { ...report, status: 'started' })).toMatchObject({
      body: { gate: { can_deploy: true } },
    });
    expect(await repo.sendFrom(run, { ...report, status: 'succeeded' })).toMatchObject({
      body: { kind: 'ungoverned' },
    });
    await succeed(repo, deployment, 9_002);
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', github: true, reported: true }]);
    expect(await repo.stage()).toBe('DEPLOYMENT');
  });

  it('is found by the run if its delivery is late, although the report has the id of another deployment', async () => {
    const repo = await scenario('other-id');
    const sha = await repo.evidencing(VERSION);
    const { id } = repo.repository.deployments.create({ ref: sha, environment: 'docs' });
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'deployment_status' });
    const deployment = begin(repo, sha, 9_008);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    const run = repo.run(sha, { environment: 'production', runId: 9_008 });
    const report = { deployment: String(id), commit_sha: sha };
    expect(await repo.sendFrom(run, { ...report, status: 'started' })).toMatchObject({
      body: { gate: { can_deploy: true } },
    });
    await repo.sendFrom(run, { ...report, status: 'succeeded' });
    await succeed(repo, deployment, 9_008);
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', github: true, reported: true }]);
  });

  it('is ungoverned if the start was reported while the gate was closed, whichever success comes first', async () => {
    const repo = await scenario('closed-start');
    const sha = await repo.evidencing(VERSION);
    const run = repo.run(sha, { environment: 'production', runId: 9_003 });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'started' });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    const deployment = begin(repo, sha, 9_003);
    await succeed(repo, deployment, 9_003);
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', github: true, reported: true }]);
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'succeeded' });
    expect(await repo.history()).toHaveLength(1);
  });

  it.each(['GitHub', 'the report'])('is that of the last attempt, whose success %s tells first', async (first) => {
    const repo = await scenario(`attempts-${first === 'GitHub' ? 'github' : 'report'}`);
    const sha = await repo.evidencing(VERSION);
    const failed = begin(repo, sha, 9_009);
    const run = repo.run(sha, { environment: 'production', runId: 9_009 });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'started' });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'cancelled' });
    repo.repository.deployments.setStatus(failed, 'failure');
    repo.approve(VERSION);
    await env.waitUntilIdle();
    const deployment = begin(repo, sha, 9_009);
    const report = { deployment: 'd2', commit_sha: sha };
    await repo.sendFrom(run.again(2), { ...report, status: 'started' });
    if (first === 'GitHub') await succeed(repo, deployment, 9_009);
    await repo.sendFrom(run.again(2), { ...report, status: 'succeeded' });
    if (first !== 'GitHub') await succeed(repo, deployment, 9_009);
    expect(await repo.history()).toMatchObject([{ kind: 'release', github: true, reported: true }]);
  });

  it('that failed makes the row ungoverned if it is the only one', async () => {
    const repo = await scenario('failed-at-github');
    const sha = await repo.approved(VERSION);
    const deployment = begin(repo, sha, 9_010);
    const run = repo.run(sha, { environment: 'production', runId: 9_010 });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'started' });
    repo.repository.deployments.setStatus(deployment, 'failure');
    await env.waitUntilIdle();
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'succeeded' });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', reported: true }]);
  });

  it('that failed makes the row ungoverned if the report has its id, also beside another attempt', async () => {
    const repo = await scenario('failed-by-id');
    const sha = await repo.approved(VERSION);
    const failed = begin(repo, sha, 9_011);
    const run = repo.run(sha, { environment: 'production', runId: 9_011 });
    const report = { deployment: String(failed.id), commit_sha: sha };
    await repo.sendFrom(run, { ...report, status: 'started' });
    repo.repository.deployments.setStatus(failed, 'failure');
    begin(repo, sha, 9_011);
    await env.waitUntilIdle();
    await repo.sendFrom(run, { ...report, status: 'succeeded' });
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned', reported: true }]);
  });

  it('is found by its id, also for an API key', async () => {
    const repo = await scenario('by-id');
    const sha = await repo.approved(VERSION);
    const deployment = begin(repo, sha, 9_004);
    const id = String(deployment.id);
    await repo.start(id, { commit_sha: sha });
    expect(await repo.report(id, 'succeeded', { commit_sha: sha })).toMatchObject({ body: { kind: 'release' } });
    await succeed(repo, deployment, 9_004);
    expect(await repo.history()).toMatchObject([{ kind: 'release', github: true, reported: true }]);
  });

  it('is read again until GitHub answers', async () => {
    const repo = await scenario('github-away');
    const sha = await repo.evidencing(VERSION);
    const run = repo.run(sha, { environment: 'production', runId: 9_005 });
    const deployment = begin(repo, sha, 9_005);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    const report = { deployment: 'd1', commit_sha: sha };
    await repo.sendFrom(run, { ...report, status: 'started' });
    env.github.faults.next({ kind: '5xx', match: /\/deployments/, times: 50 });
    expect(await repo.sendFrom(run, { ...report, status: 'succeeded' })).toMatchObject({
      status: 201,
      body: { kind: null },
    });
    expect(await repo.history()).toEqual([]);
    env.github.faults.clear();
    await env.hurry();
    await env.hurry();
    expect(await repo.history()).toMatchObject([{ kind: 'ungoverned' }]);
    await succeed(repo, deployment, 9_005);
    expect(await repo.history()).toHaveLength(1);
  });

  it('of another run is another deployment: two rows, of which one may ship', async () => {
    const repo = await scenario('two-runs');
    const sha = await repo.evidencing(VERSION);
    const deployment = begin(repo, sha, 9_006);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    await succeed(repo, deployment, 9_006);
    const run = repo.run(sha, { environment: 'production', runId: 9_007 });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'started' });
    await repo.sendFrom(run, { deployment: 'd1', commit_sha: sha, status: 'succeeded' });
    expect(await repo.history()).toMatchObject([
      { kind: 'ungoverned', github: true, reported: false },
      { kind: 'release', github: false, reported: true },
    ]);
    await repo.deploy(sha);
    expect(await repo.history()).toHaveLength(2);
  });
});

describe('the lists', () => {
  it('show the source of each deployment, and hide those of private repositories', async () => {
    const repo = await scenario('sources', { private: true });
    const sha = await repo.approved(VERSION);
    await repo.start('412', { commit_sha: sha, run_url: 'https://jenkins.example/job/412/' });
    await repo.report('412', 'succeeded', { version: VERSION });
    const bob = await signIn(env, env.github.createUser({ login: 'bob' }));
    const cy = await signIn(env, env.github.createUser({ login: 'cy' }));
    await env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${await env.orgId()}', ${bob.user.id}, ${repo.repository.id})`,
    );
    const listed = await bob.get('/api/deployments?repo=SOURCES&environment=Production');
    expect(listed.body).toMatchObject({
      deployments: [
        {
          deployment: '412',
          status: 'succeeded',
          kind: 'release',
          commitSha: sha,
          version: VERSION,
          canDeploy: true,
          reportedBy: 'api_key',
          keyName: 'ci',
          runUrl: 'https://jenkins.example/job/412/',
        },
      ],
      pagination: { total: 1 },
    });
    const history = await bob.get('/api/history?repository=acme/sources');
    expect(history.body['history']).toMatchObject([
      {
        kind: 'release',
        source: 'api_key',
        keyName: 'ci',
        runUrl: 'https://jenkins.example/job/412/',
        deployedBy: null,
      },
    ]);
    expect((await cy.get('/api/deployments?repo=sources')).body).toMatchObject({
      deployments: [],
      pagination: { total: 0 },
    });
    // A key that does not list a private repository gets no details.
    const [reason] = (await repo.start('413', { commit_sha: 'ab'.repeat(20) })).body.gate?.reasons ?? [];
    expect(reason).toEqual({ code: 'not_the_candidate', actor: 'deployer' });
  });
});
