import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AdjustableClock } from '../support/adjustable-clock.js';
import { GITHUB_WEBHOOKS } from '../support/github-contract.js';
import { AcmeFixture } from './acme-fixture.js';
import type { Environment } from './state/environments.js';
import type { WorkflowRun } from './state/workflow-runs.js';

const REPO = '/repos/acme/payments';
const DAY_MS = 86_400_000;
const NOT_ACCESSIBLE = 'Resource not accessible by integration';

describe('jobs that wait for the rules of an environment', () => {
  let clock: AdjustableClock;
  let acme: AcmeFixture;
  let token: string;
  let production: Environment;

  beforeEach(async () => {
    clock = new AdjustableClock();
    acme = await AcmeFixture.start(clock);
    token = await acme.installationToken();
    production = acme.repository.environments.create('production');
    production.enable(acme.app);
  });
  afterEach(async () => {
    expect(acme.observed.violations).toEqual([]);
    await acme.observed.sim.stop();
  });

  const start = (jobs: readonly string[] = ['deploy']): WorkflowRun => {
    const run = acme.repository.workflowRuns.create({ sha: acme.repository.git.branchHead('main')!, jobs });
    for (const job of jobs) run.holds.request(job, 'production');
    return run;
  };
  const get = async (path: string, by = token) => (await acme.request(by, 'GET', `${REPO}${path}`)).body;
  const review = async ({ id }: WorkflowRun, body: object, by = token) => {
    const path = `${REPO}/actions/runs/${id}/deployment_protection_rule`;
    const reply = await acme.request(by, 'POST', path, { environment_name: 'production', ...body });
    return [reply.status, reply.body['message']];
  };
  const pending = async ({ id }: WorkflowRun) => (await get(`/actions/runs/${id}/pending_deployments`)) as unknown;
  const states = ({ repository }: WorkflowRun) =>
    repository.deployments.list().map(({ statuses }) => statuses.map(({ state }) => state));
  const requests = () => acme.observed.hooks.filter(({ event }) => event === 'deployment_protection_rule');

  it('ask the app of the rule once for each job, as GitHub does', async () => {
    const run = start(['deploy (1)', 'deploy (2)']);
    expect(requests()).toHaveLength(2);
    for (const { payload } of requests()) {
      expect(GITHUB_WEBHOOKS.check('deployment_protection_rule', payload)).toEqual([]);
      expect(payload).toMatchObject({ environment: 'production', sha: run.sha, workflow_run: { id: run.id } });
    }
    expect(await get(`/actions/runs/${run.id}`)).toMatchObject({
      status: 'waiting',
      head_sha: run.sha,
      run_attempt: 1,
    });
    expect(await get('/actions/runs?status=waiting')).toMatchObject({
      total_count: 1,
      workflow_runs: [{ id: run.id }],
    });
    expect(await pending(run)).toMatchObject([{ environment: { name: 'production' }, wait_timer: 0, reviewers: [] }]);
  });

  it('are all let go by one approval, and their deployments continue', async () => {
    const run = start(['deploy (1)', 'deploy (2)']);
    expect(await review(run, { state: 'approved', comment: 'Go.' })).toEqual([204, undefined]);
    expect(await pending(run)).toEqual([]);
    expect(states(run)).toEqual([
      ['waiting', 'queued'],
      ['waiting', 'queued'],
    ]);
    run.holds.finish();
    expect(states(run)).toEqual([
      ['waiting', 'queued', 'in_progress', 'success'],
      ['waiting', 'queued', 'in_progress', 'success', 'inactive'],
    ]);
    expect(await get(`/actions/runs/${run.id}/approvals`)).toMatchObject([
      { state: 'approved', comment: 'Go.', user: { login: acme.app.bot.login } },
    ]);
    expect(await review(run, { state: 'approved' })).toEqual([
      422,
      'No pending deployment requests to approve or reject',
    ]);
  });

  it('fail after a rejection', async () => {
    const run = start();
    expect(await review(run, { state: 'rejected', comment: 'No.' })).toEqual([204, undefined]);
    expect(states(run)).toEqual([['waiting', 'failure']]);
    expect(await get(`/actions/runs/${run.id}`)).toMatchObject({ status: 'completed', conclusion: 'failure' });
  });

  it('take one verdict of an app, while others must agree as well', async () => {
    const other = acme.observed.sim.registerApp({ name: 'Other', owner: acme.organization });
    acme.observed.sim.installApp(other, acme.organization);
    production.enable(other);
    const run = start();
    expect(requests()).toHaveLength(1);
    expect(await review(run, { state: 'approved' })).toEqual([204, undefined]);
    expect(await review(run, { state: 'approved' })).toEqual([
      422,
      'Deployment protection rule has already been reviewed',
    ]);
    expect(states(run)).toEqual([['waiting']]);
    run.holds.decide(other, production, 'approved', '');
    expect(states(run)).toEqual([['waiting', 'queued']]);
  });

  it('take ten reports of 1,024 characters each', async () => {
    const run = start();
    expect(await review(run, { comment: 'é'.repeat(1_025) })).toEqual([422, 'Validation Failed']);
    for (let count = 0; count < 10; count += 1) {
      expect(await review(run, { comment: 'é'.repeat(1_024) })).toEqual([204, undefined]);
    }
    expect(await review(run, { comment: 'One more.' })).toEqual([422, 'Only 10 status reports are allowed.']);
    expect(states(run)).toEqual([['waiting']]);
    expect(await review(run, { state: 'approved' })).toEqual([204, undefined]);
  });

  it('are decided only by an app with the rule and the permission', async () => {
    const run = start();
    const { deployments: _, ...lesser } = acme.installation.permissions;
    const without = await acme.installationToken({ permissions: lesser });
    expect(await review(run, { state: 'approved' }, without)).toEqual([403, NOT_ACCESSIBLE]);
    production.disable(production.rules[0]!);
    expect(await review(run, { state: 'approved' })).toEqual([403, NOT_ACCESSIBLE]);
    expect(await review(run, { environment_name: 'staging', state: 'approved' })).toEqual([404, 'Not Found']);
    acme.repository.workflowRuns.delete(run);
    expect(await review(run, { state: 'approved' })).toEqual([404, 'Not Found']);
  });

  it('wait for reviewers and timers too', async () => {
    acme.repository.environments.create('staging', { reviewers: [acme.reviewer], waitMinutes: 5 });
    const run = acme.repository.workflowRuns.create({
      sha: acme.repository.git.branchHead('main')!,
      jobs: ['deploy'],
    });
    run.holds.request('deploy', 'staging');
    expect(requests()).toEqual([]);
    expect(await pending(run)).toMatchObject([
      { wait_timer: 5, reviewers: [{ type: 'User', reviewer: { login: acme.reviewer.login } }] },
    ]);
    run.holds.approve('staging', acme.reviewer);
    expect(await pending(run)).toMatchObject([{ wait_timer: 5, reviewers: [] }]);
    clock.advance(5 * 60_000);
    expect(await pending(run)).toEqual([]);
    expect(states(run)).toEqual([['waiting', 'queued']]);
  });

  it('are let go by an administrator unless the environment forbids it', async () => {
    const run = start();
    run.holds.bypass('production', acme.organization.founder);
    expect(states(run)).toEqual([['waiting', 'queued']]);
    acme.repository.environments.create('strict', { canAdminsBypass: false });
    expect(() => run.holds.bypass('strict', acme.organization.founder)).toThrow('may not be bypassed');
  });

  it('fail after thirty days', async () => {
    const run = start();
    clock.advance(30 * DAY_MS - 60_000);
    token = await acme.installationToken();
    expect(await pending(run)).toHaveLength(1);
    clock.advance(60_000);
    expect(await pending(run)).toEqual([]);
    expect(states(run)).toEqual([['waiting', 'failure']]);
  });

  it('ask again in the next attempt', async () => {
    const run = start();
    await review(run, { state: 'rejected' });
    run.rerun();
    run.holds.request('deploy', 'production');
    expect(requests()).toHaveLength(2);
    expect(await get(`/actions/runs/${run.id}`)).toMatchObject({ status: 'waiting', run_attempt: 2 });
    expect(await review(run, { state: 'approved' })).toEqual([204, undefined]);
    expect(states(run)).toEqual([
      ['waiting', 'queued'],
      ['waiting', 'failure'],
    ]);
  });
});

describe('the rules of an environment', () => {
  let acme: AcmeFixture;
  let token: string;

  beforeEach(async () => {
    acme = await AcmeFixture.start();
    token = await acme.installationToken();
  });
  afterEach(async () => {
    expect(acme.observed.violations).toEqual([]);
    await acme.observed.sim.stop();
  });

  const RULES = `${REPO}/environments/prod%2Feu/deployment_protection_rules`;
  const send = async (method: string, path: string, body?: object) => {
    const { status, body: answered } = await acme.request(token, method, path, body);
    return [status, answered] as const;
  };

  it('are switched on and off', async () => {
    expect(await send('GET', `${REPO}/environments/prod%2Feu`)).toMatchObject([404, {}]);
    expect(await send('PUT', `${REPO}/environments/prod%2Feu`, {})).toMatchObject([
      200,
      { name: 'prod/eu', can_admins_bypass: true },
    ]);
    const [status, rule] = await send('POST', RULES, { integration_id: acme.app.id });
    expect([status, rule['app']]).toMatchObject([201, { id: acme.app.id, slug: acme.app.slug }]);
    expect(await send('POST', RULES, { integration_id: acme.app.id })).toMatchObject([422, {}]);
    expect(await send('GET', RULES)).toMatchObject([200, { total_count: 1 }]);
    expect(await send('DELETE', `${RULES}/${String(rule['id'])}`)).toMatchObject([204, {}]);
    expect(await send('GET', RULES)).toMatchObject([200, { total_count: 0 }]);
  });

  it('are refused where the plan has none', async () => {
    acme.repository.environments.create('prod/eu');
    acme.repository.environments.offersRules = false;
    expect(await send('POST', RULES, { integration_id: acme.app.id })).toMatchObject([403, {}]);
  });
});
