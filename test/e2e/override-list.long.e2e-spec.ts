import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import type { OverrideScenario } from './scenarios/override-scenario.js';
import { type FailingRelease, TwoAdminScenario } from './scenarios/two-admin-scenario.js';

const HOUR_MS = 3_600_000;

interface Overrides {
  readonly overrides: readonly (Readonly<Record<string, unknown>> & { readonly kind: string; readonly id: string })[];
  readonly pagination: Readonly<Record<string, number>>;
}

let env: TestEnvironment;
let users: TwoAdminScenario;
let first: FailingRelease;
let ada: UserSession;
let bob: UserSession;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  users = await TwoAdminScenario.of(env);
});
afterAll(() => env.stop());
beforeEach(async () => {
  first = await users.begin();
  ({ ada, bob, mia } = first);
});
afterEach(async () => {
  await env.asSuperuser('delete from waiver');
  await env.asSuperuser('delete from break_glass_request');
  expect(env.violations).toEqual([]);
});

async function listed(query: string, by = mia): Promise<Overrides> {
  const { status, body } = await by.get(`/api/overrides${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Overrides;
}
const idsOf = ({ overrides }: Overrides): readonly string[] => overrides.map(({ id }) => id);
const ids = async (query: string, by = mia): Promise<readonly string[]> => idsOf(await listed(query, by));
const waiverOf = async (scenario: OverrideScenario): Promise<string> =>
  String((await scenario.requestWaiver(ada)).body['id']);

describe('the list of overrides', () => {
  it('contains the waiting requests of all releases, first those that end first', async () => {
    const second = await users.begin();
    const waiver = await first.scenario.requestWaiver(second.ada);
    const glass = await second.scenario.requestBreakGlass(second.bob, second.sha);
    const page = await listed('?state=waiting', second.mia);
    expect(page.pagination).toEqual({ page: 1, pageSize: 25, total: 2, pages: 1 });
    const [before, after] = page.overrides;
    expect(before).toEqual({
      kind: 'break_glass',
      id: glass.body['id'],
      milestoneId: await second.scenario.id(),
      org: env.organization.login,
      repoId: await second.scenario.repositoryId(),
      repo: second.scenario.repository.name,
      version: 'v1.0.0',
      condition: null,
      details: null,
      subjects: null,
      sha: second.sha,
      reason: 'all is down',
      requestedAt: glass.body['requestedAt'],
      requestedBy: bob.user.login,
      requestedById: bob.user.id,
      confirmedBy: null,
      confirmedById: null,
      expiresAt: glass.body['expiresAt'],
    });
    const { candidateSha: sha, ...request } = waiver.body;
    expect(after).toEqual({
      ...request,
      kind: 'waiver',
      milestoneId: await first.scenario.id(),
      org: env.organization.login,
      repoId: await first.scenario.repositoryId(),
      repo: first.scenario.repository.name,
      version: 'v1.0.0',
      sha,
    });
  });

  it('shows a request as waiting until its confirmation, and as in force from then on', async () => {
    const requested = await first.scenario.requestWaiver(ada);
    const id = String(requested.body['id']);
    expect([await ids('?state=waiting'), await ids('?state=in_force'), await ids('')]).toEqual([[id], [], [id]]);
    await first.scenario.confirm(bob, 'waivers', requested);
    expect([await ids('?state=waiting'), await ids('')]).toEqual([[], [id]]);
    expect((await listed('?state=in_force')).overrides).toMatchObject([
      { id, confirmedBy: bob.user.login, confirmedById: bob.user.id },
    ]);
  });

  it('contains no withdrawn and no expired override', async () => {
    const withdrawn = await first.scenario.requestWaiver(ada);
    await first.scenario.withdraw(bob, 'waivers', withdrawn);
    const glass = await first.scenario.requestBreakGlass(ada, first.sha);
    await first.scenario.confirm(bob, 'break-glass', glass);
    expect(await ids('')).toEqual([glass.body['id']]);
    env.clock.advance(4 * HOUR_MS);
    expect(await listed('')).toEqual({
      overrides: [],
      pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
    });
  });

  it('contains no override of another candidate', async () => {
    const { scenario } = first;
    const id = await waiverOf(scenario);
    expect(await ids('?state=waiting')).toEqual([id]);
    const next = scenario.commit();
    await env.waitUntilIdle();
    await scenario.run(next).uploadTests('v1.0.0', 3, 1);
    await env.waitUntilIdle();
    expect(await ids('')).toEqual([]);
    const anew = await waiverOf(scenario);
    expect(await ids('?state=waiting')).toEqual([anew]);
  });

  it('contains no override of a shipped or cancelled release', async () => {
    const { scenario, sha } = first;
    await scenario.confirm(bob, 'break-glass', await scenario.requestBreakGlass(ada, sha));
    await waiverOf(scenario);
    expect(await ids('')).toHaveLength(2);
    await scenario.deploy(sha);
    expect(await ids('')).toEqual([]);
    const second = await users.begin();
    await waiverOf(second.scenario);
    expect(await ids('', second.mia)).toHaveLength(1);
    const [milestone] = second.scenario.repository.milestones.list();
    second.scenario.repository.milestones.close(milestone!);
    await env.waitUntilIdle();
    expect(await ids('', second.mia)).toEqual([]);
  });

  it('is returned in pages', async () => {
    const all: string[] = [];
    for (let requests = 0; requests < 11; requests += 1) all.push(await waiverOf(first.scenario));
    const [one, two, three] = await Promise.all(
      ['1', '2', '3'].map((page) => listed(`?state=waiting&pageSize=10&page=${page}`)),
    );
    expect(idsOf(one!)).toHaveLength(10);
    expect([...idsOf(one!), ...idsOf(two!)].toSorted()).toEqual(all.toSorted());
    expect(three).toEqual({ overrides: [], pagination: { page: 3, pageSize: 10, total: 11, pages: 2 } });
  });

  it('does not count and does not contain overrides of private repositories that the user cannot read', async () => {
    const id = await waiverOf(first.scenario);
    const { id: githubId } = first.scenario.repository;
    await env.asSuperuser(`update repository set private = true where github_id = ${githubId}`);
    // Signs in again, because the creation of the repository invalidated what each member may read.
    const reader = await users.setRole(bob, 'admin');
    await env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${await env.orgId()}', ${bob.user.id}, ${githubId})`,
    );
    expect(await ids('', reader)).toEqual([id]);
    expect(await listed('', mia)).toMatchObject({ overrides: [], pagination: { total: 0 } });
    expect(await listed('?state=waiting', ada)).toMatchObject({ overrides: [], pagination: { total: 0 } });
  });

  it('contains only overrides of the own workspace', async () => {
    await waiverOf(first.scenario);
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const eve = await first.scenario.admin('eve', elsewhere);
    expect(await listed('', eve)).toMatchObject({ overrides: [], pagination: { total: 0 } });
  });

  it.each([
    'state=',
    'state=ended',
    'state=all',
    'state=Waiting',
    'state=waiting&state=in_force',
    'state[]=waiting',
    'page=0',
    'pageSize=11',
    'sort=id',
  ])('is not returned for %s', async (query) => {
    expect(await mia.get(`/api/overrides?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  });
});
