import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { RepositoryQuotaService } from '../../src/workspaces/repository-quota.service.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

// Below every id that the simulated GitHub assigns, so that it can be configured before any user has one.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;
const CROWD = 20;

/** A workspace whose admin requests the pro plan, and a platform admin who decides. */
class BillingScenario {
  private constructor(
    private readonly env: TestEnvironment,
    readonly organization: Organization,
    private readonly admin: UserSession,
    private readonly operator: UserSession,
  ) {}

  static async in(env: TestEnvironment, organization: Organization): Promise<BillingScenario> {
    const admin = env.github.createUser({ login: `ada-of-${organization.login}` });
    return new BillingScenario(
      env,
      organization,
      await signIn(env, admin, { role: 'admin', organization }),
      await signIn(env, OPERATOR, { role: null }),
    );
  }

  async read(): Promise<unknown> {
    return (await this.admin.get('/api/billing')).body;
  }

  async requestUpgrade(): Promise<number> {
    return (await this.admin.send('POST', '/api/billing/upgrade-requests', {})).status;
  }

  async upgrade(): Promise<void> {
    const request = await this.admin.send('POST', '/api/billing/upgrade-requests', {});
    const path = `/api/platform/upgrade-requests/${String(request.body['id'])}/approve`;
    const { status } = await this.operator.send('POST', path, { paymentReference: 'INV-1' });
    if (status !== 200) throw new Error(`the approval was answered with ${status}`);
  }

  async downgrade(): Promise<void> {
    const path = `/api/platform/workspaces/${this.organization.login}/downgrade`;
    const { status } = await this.operator.send('POST', path, { reason: 'payment returned' });
    if (status !== 200) throw new Error(`the downgrade was answered with ${status}`);
  }

  /** Names of the managed repositories. */
  async managed(): Promise<readonly string[]> {
    const orgId = await this.env.orgId(this.organization);
    const rows = await this.env.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly name: string }>('select name from repository where managed_at is not null order by name'),
    );
    return rows.map(({ name }) => name);
  }

  /** Names of repositories with a release whose stored verdict has an open gate. */
  async open(): Promise<readonly string[]> {
    const orgId = await this.env.orgId(this.organization);
    const rows = await this.env.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly name: string }>(
        `select repository.name from release join repository on repository.id = release.repository_id
         where release.open_until is not null and release.valid_until <> '-infinity' order by 1`,
      ),
    );
    return rows.map(({ name }) => name);
  }
}

const use = (used: number, limit: number | null): object => ({ managedRepositories: { used, limit } });

describe('a place in the repository quota', () => {
  let env: TestEnvironment;
  let room: RepositoryQuotaService;

  beforeAll(async () => {
    env = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
    room = env.app.get(RepositoryQuotaService, { strict: false });
  });
  afterAll(() => env.stop());

  /** Creates a workspace with repositories that the service has stored. */
  async function given(
    login: string,
    count: number,
    sdlc: string | null,
  ): Promise<{
    readonly billing: BillingScenario;
    readonly orgId: OrgId;
    readonly scenarios: readonly RepositoryScenario[];
  }> {
    const organization = env.github.createOrganization({ login });
    const scenarios = Array.from(
      { length: count },
      (_, nth) => new RepositoryScenario(env, { name: `${login}-${nth}`, organization, sdlc }),
    );
    const orgId = await env.install(organization);
    return { billing: await BillingScenario.in(env, organization), orgId, scenarios };
  }
  const take = (orgId: OrgId, { repository }: RepositoryScenario): Promise<boolean> =>
    env.database.inTenant(orgId, async (tx) => {
      const [row] = await tx.query<{ readonly id: string }>('select id from repository where github_id = $1', [
        repository.id,
      ]);
      return row !== undefined && room.reserve(tx, row.id);
    });

  it('is reserved by three of twenty repositories that request it at once', async () => {
    const { billing, orgId, scenarios } = await given('crowd', CROWD, null);
    const taken = await Promise.all(scenarios.map((scenario) => take(orgId, scenario)));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await billing.managed()).toHaveLength(3);
  });

  it('is reserved once by a repository that requests it twenty times at once', async () => {
    const { orgId, scenarios } = await given('single', 1, null);
    const requested = Array.from({ length: CROWD }, () => scenarios).flat();
    const taken = await Promise.all(requested.map((scenario) => take(orgId, scenario)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is given to all waiting repositories as soon as there is no limit', async () => {
    const { billing } = await given('waiting', 6, PLAIN_POLICY);
    expect(await billing.managed()).toHaveLength(3);
    expect(await billing.read()).toMatchObject({ plan: 'free', ...use(3, 3) });
    await billing.upgrade();
    expect(await billing.read()).toMatchObject({ plan: 'pro', ...use(6, null) });
  });

  it('is not given to a repository without a valid policy or to a deleted one', async () => {
    const { billing } = await given('choosy', 3, PLAIN_POLICY);
    const { organization } = billing;
    env.github.createRepository(organization, { name: 'broken', files: { 'sdlc.yaml': 'version: v7\n' } });
    env.github.createRepository(organization, { name: 'without', files: { 'src/a.ts': '0' } });
    const gone = env.github.createRepository(organization, { name: 'gone', files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    gone.delete();
    await env.waitUntilIdle();
    await billing.upgrade();
    expect(await billing.managed()).toEqual(['choosy-0', 'choosy-1', 'choosy-2']);
  });

  it('is given to every repository whose policy is read while the plan changes', async () => {
    const { billing, scenarios } = await given('hasty', CROWD, null);
    for (const { repository } of scenarios) repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await billing.upgrade();
    await env.waitUntilIdle();
    expect(await billing.managed()).toHaveLength(CROWD);
  });
});

describe('a change of the plan', () => {
  let env: TestEnvironment;

  beforeAll(async () => {
    env = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
    await env.install();
  });
  afterAll(() => env.stop());

  it('opens the gates that the limit had closed, and a downgrade closes none', async () => {
    const billing = await BillingScenario.in(env, env.organization);
    const approved = async (name: string): Promise<RepositoryScenario> => {
      const scenario = new RepositoryScenario(env, { name });
      await scenario.approved('v1.0.0');
      return scenario;
    };
    const first = await approved('a');
    const others = [await approved('b'), await approved('c')];
    const fourth = await approved('d');
    expect(codesOf(await fourth.gate('v1.0.0'))).toEqual(['plan_limit']);
    expect(await billing.open()).toEqual(['a', 'b', 'c']);

    await billing.upgrade();
    await env.waitUntilIdle();
    expect(await billing.open()).toEqual(['a', 'b', 'c', 'd']);
    expect(await fourth.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    await billing.downgrade();
    await env.resync();
    expect(await billing.read()).toMatchObject({ plan: 'free', ...use(4, 3) });
    for (const scenario of [first, ...others, fourth]) {
      expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    }

    const fifth = await approved('e');
    expect(codesOf(await fifth.gate('v1.0.0'))).toEqual(['plan_limit']);
    first.repository.delete();
    await env.waitUntilIdle();
    await env.resync();
    expect(await billing.managed()).toEqual(['b', 'c', 'd']);
    expect(codesOf(await fifth.gate('v1.0.0'))).toEqual(['plan_limit']);
    expect(env.violations).toEqual([]);
  });
});

describe('with billing disabled', () => {
  let env: TestEnvironment;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off', PLATFORM_ADMINS: String(OPERATOR.id) });
    for (const name of ['one', 'two', 'three', 'four']) {
      env.github.createRepository(env.organization, { name, files: { 'sdlc.yaml': PLAIN_POLICY } });
    }
    await env.install();
  });
  afterAll(() => env.stop());

  it('every workspace has the features of the pro plan, and no upgrade to request', async () => {
    const billing = await BillingScenario.in(env, env.organization);
    expect(await billing.read()).toEqual({
      plan: 'pro',
      ...use(4, null),
      storage: { used: 0, limit: 50 * 1024 ** 3 },
      request: null,
    });
    expect(await billing.requestUpgrade()).toBe(409);
    expect(await billing.managed()).toHaveLength(4);
  });
});
