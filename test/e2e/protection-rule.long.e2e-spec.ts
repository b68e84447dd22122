import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { HoldScenario, VERSION } from './scenarios/hold-scenario.js';
import { auditOf } from './scenarios/members.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let admin: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  admin = await signIn(env, env.organization.founder, { role: 'admin' });
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

async function scenario(name: string, sdlc: string | null = PLAIN_POLICY): Promise<RepositoryScenario> {
  const repo = new RepositoryScenario(env, { name, sdlc, private: false });
  await env.waitUntilIdle();
  await env.resync();
  return repo;
}

async function enable(repo: RepositoryScenario) {
  const { status, body, headers } = await admin.send('POST', `/api/repos/${await repo.repositoryId()}/protection-rule`);
  await env.waitUntilIdle();
  return { status, body, code: headers.get('x-error-code') };
}

const read = async (repo: RepositoryScenario) =>
  (await admin.get(`/api/repos/${await repo.repositoryId()}/protection-rule`)).body;

const rulesOf = ({ repository }: RepositoryScenario, environment = 'production') =>
  repository.environments.find(environment)?.rules.map(({ app }) => app.name);

async function warningsOf({ repository }: RepositoryScenario): Promise<readonly unknown[]> {
  const { body } = await admin.get('/api/config/repo-warnings');
  const warnings = body['warnings'] as readonly { readonly repo: string; readonly code: string }[];
  return warnings.filter(({ repo }) => repo === repository.name).map(({ code }) => code);
}

describe('enabling the protection rule', () => {
  it('creates the environment of the policy and adds the rule, once', async () => {
    const repo = await scenario('new');
    expect(await read(repo)).toEqual({ status: 'unknown', environment: null, adminsMayBypass: null });
    for (let repetition = 0; repetition < 2; repetition += 1) {
      expect(await enable(repo)).toMatchObject({
        status: 200,
        body: { status: 'active', environment: 'production', adminsMayBypass: true },
      });
    }
    expect(rulesOf(repo)).toEqual(['Shipgate']);
    expect(await read(repo)).toMatchObject({ status: 'active', environment: 'production' });
    const audited = (await auditOf(env, await env.orgId())).filter((entry) => entry.endsWith(' acme/new'));
    expect(audited).toEqual(['protection_rule.enabled acme/new']);
    const run = repo.workflow(await repo.approved(VERSION), 'deploy');
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(run.holds.pending()).toEqual([]);
  });

  it('leaves the settings of an existing environment', async () => {
    const repo = await scenario('existing');
    repo.repository.environments.create('production', { reviewers: [repo.reviewer], canAdminsBypass: false });
    expect(await enable(repo)).toMatchObject({ status: 200, body: { adminsMayBypass: false } });
    expect(repo.repository.environments.find('production')?.reviewers).toEqual([repo.reviewer]);
    expect(await warningsOf(repo)).toEqual([]);
  });

  it('is rejected if the plan has no rules, and the repository is advisory', async () => {
    const repo = await scenario('unpaid');
    repo.repository.environments.offersRules = false;
    expect(await enable(repo)).toMatchObject({ status: 409, code: 'rules_not_offered' });
    expect(await read(repo)).toMatchObject({ status: 'advisory' });
  });

  it.each([
    ['no-policy', null, 'policy_not_valid'],
    ['promotes', `${PLAIN_POLICY}  deployment: { promotion: auto }\n`, 'promotion_automatic'],
  ])('is rejected for %s', async (name, sdlc, code) => {
    const repo = await scenario(name, sdlc);
    expect(await enable(repo)).toMatchObject({ status: 409, code });
    expect(rulesOf(repo)).toBeUndefined();
  });

  it('is rejected if the environment has six rules', async () => {
    const repo = await scenario('full');
    const environment = repo.repository.environments.create('production');
    for (let app = 0; app < 6; app += 1) {
      environment.enable(env.github.registerApp({ name: `Other ${app}`, owner: env.organization }));
    }
    expect(await enable(repo)).toMatchObject({ status: 409, code: 'github_rejected' });
  });

  it('returns 503 while GitHub does not respond', async () => {
    const repo = await scenario('away');
    env.github.faults.next({ kind: '5xx', match: /environments/, times: Number.POSITIVE_INFINITY });
    expect(await enable(repo)).toMatchObject({ status: 503 });
  });

  it('requires permissions of the app, and explains how to continue without them', async () => {
    const repo = await scenario('minimal');
    const [installation] = env.github.state.installations.of(env.organization);
    const { permissions } = installation!;
    const { administration: _, ...minimal } = permissions;
    installation!.accept(minimal);
    await env.waitUntilIdle();
    const byHand = await enable(repo);
    expect(byHand).toMatchObject({ status: 422, code: 'administration_required' });
    expect(byHand.body['error']).toContain('open Settings, choose Environments, choose production or create it');
    repo.repository.environments.create('production').enable(env.githubApp);
    expect(await enable(repo)).toMatchObject({ status: 200, body: { status: 'active' } });
    installation!.accept({ ...permissions, deployments: 'read' });
    await env.waitUntilIdle();
    expect(await enable(repo)).toMatchObject({ status: 422, code: 'deployments_required' });
    installation!.accept(permissions);
    await env.waitUntilIdle();
  });
});

describe('the sync', () => {
  it('notices a rule that was removed, and one that was added again', async () => {
    const repo = await scenario('watched');
    await enable(repo);
    const environment = repo.repository.environments.find('production')!;
    expect(await warningsOf(repo)).toEqual(['admins_may_bypass']);
    environment.disable(environment.rules[0]!);
    await env.resync();
    expect(await warningsOf(repo)).toEqual(['rule_missing']);
    expect(await read(repo)).toMatchObject({ status: 'missing' });
    environment.enable(env.githubApp);
    await env.resync();
    expect(await read(repo)).toMatchObject({ status: 'active' });
  });

  it('notices a rule that was enabled on GitHub when it holds a deployment', async () => {
    const repo = new HoldScenario(env, { name: 'by-hand', private: false });
    repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    await env.resync();
    expect(await read(repo)).toMatchObject({ status: 'active', environment: 'production' });
  });

  it('misses no rule in a repository that never had one', async () => {
    const repo = await scenario('without');
    await env.resync();
    expect(await read(repo)).toMatchObject({ status: 'unknown' });
    expect(await warningsOf(repo)).toEqual([]);
  });
});
