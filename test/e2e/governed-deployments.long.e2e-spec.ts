import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Deployment, DeploymentState } from '../github-sim/state/deployments.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

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

const scenario = (name: string): RepositoryScenario => new RepositoryScenario(env, { name });

const kindsOf = async ({ repository }: RepositoryScenario): Promise<readonly string[]> => {
  const rows = await env.asSuperuser<{ readonly kind: string }>(
    `select kind from deployment_record h join repository p on p.id = h.repository_id
     where p.github_id = ${repository.id} order by h.recorded_at`,
  );
  return rows.map(({ kind }) => kind);
};

/** A deployment without a status. */
const created = ({ repository }: RepositoryScenario, sha: string): Deployment =>
  repository.deployments.create({ ref: sha, environment: 'production' });

/** GitHub sets these states one after the other, with enough time between them for any difference of clocks. */
async function gateAnswer(
  repo: RepositoryScenario,
  deployment: Deployment,
  ...states: readonly DeploymentState[]
): Promise<void> {
  for (const state of states) {
    env.clock.advance(5 * SECOND_MS);
    repo.repository.deployments.setStatus(deployment, state);
    await env.waitUntilIdle();
  }
}

/** The reviewer takes the approval back, and the gate closes. */
async function refused(repo: RepositoryScenario): Promise<void> {
  const pull = repo.evidencePull('v1.0.0');
  repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'No.' });
  await env.waitUntilIdle();
  expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
}

/** The reviewer approves, and the gate opens. */
async function approved(repo: RepositoryScenario): Promise<void> {
  repo.approve('v1.0.0');
  await env.waitUntilIdle();
  expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
}

/** From now on, jobs that evaluate a release wait for an hour. */
const putOffJudgements = async (): Promise<void> => {
  await env.asSuperuser(`
    create function put_off() returns trigger language plpgsql as $$
      begin new.run_at = now() + interval '1 hour'; return new; end $$;
    create trigger put_off before insert or update on ${JOB_TABLE}
      for each row when (new.key like 'refresh:%') execute function put_off()`);
};
afterEach(async () => {
  await env.asSuperuser('drop function if exists put_off() cascade');
  await env.hurry();
});

describe('a deployment while the gate was closed', () => {
  it('is ungoverned if the open decision had expired before it began, without a gate request since', async () => {
    const repo = scenario('expired');
    const sha = await repo.approved('v1.0.0');
    env.clock.advance(30 * MINUTE_MS);
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['ungoverned', 'release']);
  });

  it('is ungoverned if GitHub was unavailable when it began, although the gate opened again for the same reasons', async () => {
    const repo = scenario('away');
    const sha = await repo.approved('v1.0.0');
    env.github.faults.next({ kind: '5xx', times: Number.POSITIVE_INFINITY });
    env.clock.advance(30 * MINUTE_MS);
    const deployment = created(repo, sha);
    env.clock.advance(5 * MINUTE_MS);
    env.github.faults.clear();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    await gateAnswer(repo, deployment, 'success');
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
  });

  it('is ungoverned if the gate closed while it waited for reviewers of its environment', async () => {
    const repo = scenario('closed-meanwhile');
    const deployment = created(repo, await repo.approved('v1.0.0'));
    await gateAnswer(repo, deployment, 'waiting');
    await refused(repo);
    await gateAnswer(repo, deployment, 'queued', 'in_progress', 'success');
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
  });

  it('is ungoverned if it waited twice and the gate was closed when it continued the second time', async () => {
    const repo = scenario('waited-twice');
    const deployment = created(repo, await repo.approved('v1.0.0'));
    await gateAnswer(repo, deployment, 'waiting', 'in_progress', 'waiting');
    await refused(repo);
    await gateAnswer(repo, deployment, 'in_progress', 'success');
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
  });

  it('is ungoverned although a later status says that it waits and continues after its success', async () => {
    const repo = scenario('waits-afterwards');
    const sha = await repo.evidencing('v1.0.0');
    env.outbox.faults.next({ kind: 'lose', event: 'deployment_status', times: 4 });
    const deployment = created(repo, sha);
    await gateAnswer(repo, deployment, 'success');
    await approved(repo);
    await gateAnswer(repo, deployment, 'waiting', 'in_progress', 'success');
    await env.resync();
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
  });
});

describe('a change that is known and not yet evaluated', () => {
  it('makes a later deployment ungoverned if it closes the gate', async () => {
    const repo = scenario('known-red');
    const sha = await repo.approved('v1.0.0');
    await putOffJudgements();
    const pull = repo.evidencePull('v1.0.0');
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'No.' });
    await env.waitUntilIdle();
    env.clock.advance(5 * SECOND_MS);
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['ungoverned']);
  });

  it('leaves the gate open without a gap if it does not close it', async () => {
    const repo = scenario('known-green');
    const sha = await repo.approved('v1.0.0');
    await putOffJudgements();
    const pull = repo.evidencePull('v1.0.0');
    const other = repo.createCollaborator('otto-of-known-green', 'read');
    repo.repository.pulls.reviews.submit(pull, { by: other, state: 'COMMENTED', body: 'Fine.' });
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'APPROVED' });
    await env.waitUntilIdle();
    env.clock.advance(5 * SECOND_MS);
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['release']);
  });
});

describe('jobs of the run that uploaded', () => {
  /**
   * Creates a release whose gate is open because of one job of a run. Returns also the run, whose other job is queued.
   */
  async function approvedByRun(name: string) {
    const repo = scenario(name);
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    const run = repo.workflow(sha, 'test', 'deploy');
    run.start('test');
    await env.waitUntilIdle();
    await repo.job(run, 'test').uploadTests('v1.0.0');
    run.complete('test');
    await env.waitUntilIdle();
    await approved(repo);
    return { repo, sha, run };
  }
  const jobsOf = ({ repository }: RepositoryScenario): string =>
    `from repository p where p.github_id = ${repository.id}`;

  it('leave the gate open without a gap while they run, also if other evidence is evaluated meanwhile', async () => {
    const { repo, sha, run } = await approvedByRun('run-goes-on');
    await putOffJudgements();
    run.start('deploy');
    await env.waitUntilIdle();
    expect(await repo.job(run, 'deploy').upload('v1.0.0', { kind: 'manual', metrics: { notes: 1 } })).toMatchObject({
      status: 201,
    });
    env.clock.advance(5 * SECOND_MS);
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('delay a deployment while they change with every read', async () => {
    const { repo, sha } = await approvedByRun('run-never-rests');
    await env.asSuperuser(
      `insert into fact_hint (org_id, repository_id, kind, number) select org_id, id, 'run_jobs', 1e15 ${jobsOf(repo)}`,
    );
    await env.asSuperuser(
      `update release set invalidated_at = '${env.clock.now().toISOString()}', valid_until = '-infinity'
       where repository_id in (select id ${jobsOf(repo)})`,
    );
    await env.asSuperuser(
      `update observation set observed_at = 'epoch' where kind = 'run_jobs' and repository_id in (select id ${jobsOf(repo)})`,
    );
    env.clock.advance(5 * SECOND_MS);
    repo.repository.deployments.setStatus(created(repo, sha), 'success');
    // Waits until the job tried to record the deployment and was postponed.
    const putOff = `select from graphile_worker.jobs where key like 'deployment:%' and run_at > now()`;
    while ((await env.asSuperuser(putOff)).length === 0) await sleep(20);
    expect(await kindsOf(repo)).toEqual([]);
    await env.asSuperuser(`delete from fact_hint where number = 1e15`);
    await env.hurry();
    expect(await kindsOf(repo)).toEqual(['release']);
  });
});

describe('a deployment to the target environment in other letter case', () => {
  it('counts as one to the target, because GitHub compares environment names that way', async () => {
    const [open, closed, waits] = [scenario('Letters'), scenario('letters-closed'), scenario('letters-wait')];
    const [sha, other, third] = [
      await open.approved('v1.0.0'),
      await closed.evidencing('v1.0.0'),
      await waits.evidencing('v1.0.0'),
    ];
    await open.deploy(sha, 'Production');
    await closed.deploy(other, 'PRODUCTION');
    const deployment = waits.repository.deployments.create({ ref: third, environment: 'Production' });
    await gateAnswer(waits, deployment, 'waiting');
    await approved(waits);
    await gateAnswer(waits, deployment, 'in_progress', 'success');
    expect([await kindsOf(open), await kindsOf(closed), await kindsOf(waits)]).toEqual([
      ['release'],
      ['ungoverned'],
      ['release'],
    ]);
  });
});

describe('a deployment while the gate was open', () => {
  it('ships the release if the gate opened while it waited for reviewers of its environment', async () => {
    const repo = scenario('opened-meanwhile');
    const deployment = created(repo, await repo.evidencing('v1.0.0'));
    await gateAnswer(repo, deployment, 'queued', 'in_progress', 'waiting');
    await approved(repo);
    await gateAnswer(repo, deployment, 'queued', 'in_progress', 'success');
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('ships the release if it waited and no delivery reported it', async () => {
    const repo = scenario('waited-unseen');
    env.outbox.faults.next({ kind: 'lose', event: 'deployment_status', times: 3 });
    const deployment = created(repo, await repo.evidencing('v1.0.0'));
    await gateAnswer(repo, deployment, 'waiting');
    await approved(repo);
    await gateAnswer(repo, deployment, 'in_progress', 'success');
    env.clock.advance(15 * MINUTE_MS);
    await env.resync();
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('ships the release if it waited for long without a gate request', async () => {
    const repo = scenario('waited-for-long');
    const deployment = created(repo, await repo.approved('v1.0.0'));
    await gateAnswer(repo, deployment, 'waiting');
    for (let waited = 0; waited < 5; waited += 1) {
      env.clock.advance(4 * MINUTE_MS);
      await env.hurry();
    }
    await gateAnswer(repo, deployment, 'in_progress', 'success');
    expect(await kindsOf(repo)).toEqual(['release']);
    const renewals = await env.asSuperuser(`select from graphile_worker.jobs where key like 'renew:%'`);
    expect(renewals.length).toBeLessThan(2);
    await env.hurry();
    expect(await env.asSuperuser(`select from graphile_worker.jobs where key like 'renew:%'`)).toEqual([]);
  });

  it('ships the release although a freeze for that day was added after it began', async () => {
    const repo = scenario('frozen-afterwards');
    const deployment = created(repo, await repo.approved('v1.0.0'));
    await gateAnswer(repo, deployment, 'in_progress');
    const frozen = `${PLAIN_POLICY}freezes: [{ from: 2000-01-01, to: 2999-12-31, reason: audit }]\n`;
    repo.repository.commit({ files: { 'sdlc.yaml': frozen } });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    await gateAnswer(repo, deployment, 'success');
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it.each([1, 2, 3])('ships the release in the second in which the gate opened, attempt %i', async (attempt) => {
    const repo = scenario(`same-second-${attempt}`);
    const sha = await repo.evidencing('v1.0.0');
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { sha, explain: 'false' })).toMatchObject({ can_deploy: true });
    const deployment = created(repo, sha);
    repo.repository.deployments.setStatus(deployment, 'in_progress');
    repo.repository.deployments.setStatus(deployment, 'success');
    await env.waitUntilIdle();
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('ships the release long after the gate opened if there was a gate request before', async () => {
    const repo = scenario('asked-again');
    const sha = await repo.approved('v1.0.0');
    for (let callsBefore = 0; callsBefore < 3; callsBefore += 1) {
      env.clock.advance(30 * MINUTE_MS);
      expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    }
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['release']);
  });
});
