import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { RepositoryQuotaRepository } from '../../src/workspaces/repository-quota.repository.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { type UserSession, signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { codesOf, PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';

// Below every id that the simulated GitHub gives, so that it can be configured before anybody has one.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;
const CROWD = 20;

/** A workspace whose admin asks for the pro plan, and a platform admin who decides. */
class BillingScene {
  private constructor(
    private readonly world: TestEnvironment,
    readonly organization: Organization,
    private readonly admin: UserSession,
    private readonly operator: UserSession,
  ) {}

  static async in(world: TestEnvironment, organization: Organization): Promise<BillingScene> {
    const admin = world.github.createUser({ login: `ada-of-${organization.login}` });
    return new BillingScene(
      world,
      organization,
      await signIn(world, admin, { role: 'admin', organization }),
      await signIn(world, OPERATOR, { role: null }),
    );
  }

  async read(): Promise<unknown> {
    return (await this.admin.get('/api/billing')).body;
  }

  async askForUpgrade(): Promise<number> {
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
    const orgId = await this.world.orgId(this.organization);
    const rows = await this.world.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly name: string }>('select name from repository where managed_at is not null order by name'),
    );
    return rows.map(({ name }) => name);
  }

  /** Names of repositories with a release whose stored verdict has an open gate. */
  async open(): Promise<readonly string[]> {
    const orgId = await this.world.orgId(this.organization);
    const rows = await this.world.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly name: string }>(
        `select repository.name from release join repository on repository.id = release.repository_id
         where release.open_until is not null and release.valid_until <> '-infinity' order by 1`,
      ),
    );
    return rows.map(({ name }) => name);
  }
}

const use = (used: number, limit: number | null): object => ({ managedRepositories: { used, limit } });

describe('room in a plan', () => {
  let world: TestEnvironment;
  let room: RepositoryQuotaRepository;

  beforeAll(async () => {
    world = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
    room = world.app.get(RepositoryQuotaRepository, { strict: false });
  });
  afterAll(() => world.stop());

  /** A workspace of its own with repositories that the service has seen. */
  async function given(
    login: string,
    count: number,
    sdlc: string | null,
  ): Promise<{ readonly billing: BillingScene; readonly orgId: OrgId; readonly scenes: readonly RepositoryScene[] }> {
    const organization = world.github.createOrganization({ login });
    const scenes = Array.from(
      { length: count },
      (_, nth) => new RepositoryScene(world, { name: `${login}-${nth}`, organization, sdlc }),
    );
    const orgId = await world.install(organization);
    return { billing: await BillingScene.in(world, organization), orgId, scenes };
  }
  const take = (orgId: OrgId, { repository }: RepositoryScene): Promise<boolean> =>
    world.database.inTenant(orgId, async (tx) => {
      const [row] = await tx.query<{ readonly id: string }>('select id from repository where github_id = $1', [
        repository.id,
      ]);
      return row !== undefined && room.reserve(tx, row.id);
    });

  it('is taken by three of twenty that want it at once', async () => {
    const { billing, orgId, scenes } = await given('crowd', CROWD, null);
    const taken = await Promise.all(scenes.map((scene) => take(orgId, scene)));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await billing.managed()).toHaveLength(3);
  });

  it('is taken once by one that wants it twenty times at once', async () => {
    const { orgId, scenes } = await given('single', 1, null);
    const wanted = Array.from({ length: CROWD }, () => scenes).flat();
    const taken = await Promise.all(wanted.map((scene) => take(orgId, scene)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is given to all that wait as soon as there is no limit', async () => {
    const { billing } = await given('waiting', 6, PLAIN_POLICY);
    expect(await billing.managed()).toHaveLength(3);
    expect(await billing.read()).toMatchObject({ plan: 'free', ...use(3, 3) });
    await billing.upgrade();
    expect(await billing.read()).toMatchObject({ plan: 'pro', ...use(6, null) });
  });

  it('is not given to one without a valid policy, nor to one that is gone', async () => {
    const { billing } = await given('choosy', 3, PLAIN_POLICY);
    const { organization } = billing;
    world.github.createRepository(organization, { name: 'broken', files: { 'sdlc.yaml': 'version: v7\n' } });
    world.github.createRepository(organization, { name: 'without', files: { 'src/a.ts': '0' } });
    const gone = world.github.createRepository(organization, { name: 'gone', files: { 'sdlc.yaml': PLAIN_POLICY } });
    await world.settle();
    gone.delete();
    await world.settle();
    await billing.upgrade();
    expect(await billing.managed()).toEqual(['choosy-0', 'choosy-1', 'choosy-2']);
  });

  it('is missed by none whose policy is seen while the plan changes', async () => {
    const { billing, scenes } = await given('hasty', CROWD, null);
    for (const { repository } of scenes) repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await billing.upgrade();
    await world.settle();
    expect(await billing.managed()).toHaveLength(CROWD);
  });
});

describe('a change of the plan', () => {
  let world: TestEnvironment;

  beforeAll(async () => {
    world = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
    await world.install();
  });
  afterAll(() => world.stop());

  it('opens the gates that were closed for want of it, and a downgrade closes none', async () => {
    const billing = await BillingScene.in(world, world.organization);
    const approved = async (name: string): Promise<RepositoryScene> => {
      const scene = new RepositoryScene(world, { name });
      await scene.approved('v1.0.0');
      return scene;
    };
    const first = await approved('a');
    const others = [await approved('b'), await approved('c')];
    const fourth = await approved('d');
    expect(codesOf(await fourth.gate('v1.0.0'))).toEqual(['plan_limit']);
    expect(await billing.open()).toEqual(['a', 'b', 'c']);

    await billing.upgrade();
    await world.settle();
    expect(await billing.open()).toEqual(['a', 'b', 'c', 'd']);
    expect(await fourth.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    await billing.downgrade();
    await world.resync();
    expect(await billing.read()).toMatchObject({ plan: 'free', ...use(4, 3) });
    for (const scene of [first, ...others, fourth]) {
      expect(await scene.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    }

    const fifth = await approved('e');
    expect(codesOf(await fifth.gate('v1.0.0'))).toEqual(['plan_limit']);
    first.repository.delete();
    await world.settle();
    await world.resync();
    expect(await billing.managed()).toEqual(['b', 'c', 'd']);
    expect(codesOf(await fifth.gate('v1.0.0'))).toEqual(['plan_limit']);
    expect(world.violations).toEqual([]);
  });
});

describe('with billing off', () => {
  let world: TestEnvironment;

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off', PLATFORM_ADMINS: String(OPERATOR.id) });
    for (const name of ['one', 'two', 'three', 'four']) {
      world.github.createRepository(world.organization, { name, files: { 'sdlc.yaml': PLAIN_POLICY } });
    }
    await world.install();
  });
  afterAll(() => world.stop());

  it('every workspace has what the pro plan offers, and nothing to ask for', async () => {
    const billing = await BillingScene.in(world, world.organization);
    expect(await billing.read()).toEqual({
      plan: 'pro',
      ...use(4, null),
      storage: { used: 0, limit: 50 * 1024 ** 3 },
      request: null,
    });
    expect(await billing.askForUpgrade()).toBe(409);
    expect(await billing.managed()).toHaveLength(4);
  });
});
