import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { auditOf } from './scenarios/members.js';
import { OverrideScenario } from './scenarios/override-scenario.js';
import { TwoAdminScenario } from './scenarios/two-admin-scenario.js';

const HOUR_MS = 3_600_000;
const KINDS = ['waivers', 'break-glass'] as const;
type Kind = (typeof KINDS)[number];

let env: TestEnvironment;
let users: TwoAdminScenario;
let scenario: OverrideScenario;
let sha: string;
let ada: UserSession;
let bob: UserSession;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  users = await TwoAdminScenario.of(env);
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

/** Creates a release for one test. */
async function begin(): Promise<void> {
  ({ ada, bob, mia, scenario, sha } = await users.begin());
}

const statusOf = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;
const path = async (kind: Kind): Promise<string> => `/api/milestones/${await scenario.id()}/${kind}`;
const request = (kind: Kind, by = ada) =>
  kind === 'waivers' ? scenario.requestWaiver(by) : scenario.requestBreakGlass(by, sha);
/** Whether the requested override is confirmed. */
const confirmed = async (kind: Kind): Promise<boolean> => {
  const { body } = await ada.get(await path(kind));
  const list = (body[kind === 'waivers' ? 'waivers' : 'breakGlass'] ?? []) as readonly { confirmedBy: unknown }[];
  return list.some(({ confirmedBy }) => confirmedBy !== null);
};

describe.each(KINDS)('an override by two users, %s', (kind) => {
  let named: string;
  beforeEach(async () => {
    await begin();
    named = `${kind}-${users.begun}`;
  });

  it('cannot be confirmed by its requester, in another session or under another name', async () => {
    const requested = await request(kind);
    ada.user.login = `${ada.user.login}-renamed`;
    const elsewhere = await users.setRole(ada, 'admin');
    expect(await statusOf(scenario.confirm(ada, kind, requested))).toBe(403);
    expect(await statusOf(scenario.confirm(elsewhere, kind, requested))).toBe(403);
    expect(await confirmed(kind)).toBe(false);
  });

  it('names its requester by the id on GitHub, which a rename of the user does not change', async () => {
    const { body } = await request(kind);
    const former = ada.user.login;
    ada.user.login = `${former}-renamed`;
    const renamed = await users.setRole(ada, 'admin');
    const list = Object.values((await renamed.get(await path(kind))).body)[0];
    expect(list).toEqual([{ ...body, requestedBy: former, requestedById: renamed.user.id }]);
    expect((await renamed.get('/api/auth/me')).body).toMatchObject({ user: { id: renamed.user.id } });
  });

  it('is limited to admins', async () => {
    expect(await statusOf(request(kind, mia))).toBe(403);
    const requested = await request(kind);
    expect([
      await statusOf(scenario.confirm(mia, kind, requested)),
      await statusOf(scenario.withdraw(mia, kind, requested)),
    ]).toEqual([403, 403]);
    expect(await statusOf(mia.get(await path(kind)))).toBe(200);
    expect(await confirmed(kind)).toBe(false);
  });

  it('is confirmed once', async () => {
    const requested = await request(kind);
    const cleo = await scenario.admin(`cleo-${named}`);
    const answers = await Promise.all([
      statusOf(scenario.confirm(bob, kind, requested)),
      statusOf(scenario.confirm(cleo, kind, requested)),
    ]);
    expect(answers.toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect(await statusOf(scenario.confirm(bob, kind, requested))).toBe(409);
  });

  it('cannot be confirmed after it ended or was withdrawn', async () => {
    const late = await request(kind);
    env.clock.advance(7 * HOUR_MS);
    expect(await statusOf(scenario.confirm(bob, kind, late))).toBe(404);
    const withdrawn = await request(kind);
    expect(await statusOf(scenario.withdraw(bob, kind, withdrawn))).toBe(204);
    expect(await statusOf(scenario.confirm(bob, kind, withdrawn))).toBe(404);
    expect(await statusOf(scenario.withdraw(bob, kind, withdrawn))).toBe(404);
    expect(await confirmed(kind)).toBe(false);
  });

  it('requires that both users are still admins when they request and confirm', async () => {
    const requested = await request(kind);
    await users.setRole(ada, 'member');
    expect(await statusOf(scenario.confirm(bob, kind, requested))).toBe(409);
    await users.setRole(ada, 'admin');
    await users.setRole(bob, 'member');
    expect(await statusOf(scenario.confirm(bob, kind, requested))).toBe(403);
    await users.setRole(bob, 'admin');
    expect(await statusOf(scenario.confirm(bob, kind, requested))).toBe(200);
    await users.setRole(ada, 'member');
    await users.setRole(bob, 'member');
    expect(await scenario.gate('v1.0.0')).toMatchObject({ overrides: [{ id: requested.body['id'] }] });
  });

  it('ends at once if it is withdrawn, whichever admin confirms it meanwhile', async () => {
    const requested = await request(kind);
    await Promise.all([scenario.confirm(bob, kind, requested), scenario.withdraw(ada, kind, requested)]);
    expect(await confirmed(kind)).toBe(false);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false, overrides: [] });
    const again = await request(kind);
    await scenario.confirm(bob, kind, again);
    await scenario.withdraw(bob, kind, again);
    const hot = await scenario.run(sha).gate('v1.0.0', { explain: 'false' });
    expect(hot).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
  });

  it('is not found in another workspace, under another release, or with an invalid id', async () => {
    const requested = await request(kind);
    const id = String(requested.body['id']);
    const elsewhere = env.github.createOrganization({ login: `elsewhere-${named}` });
    await env.install(elsewhere);
    const eve = await scenario.admin(`eve-${named}`, elsewhere);
    const base = await path(kind);
    expect(await statusOf(eve.get(base))).toBe(404);
    expect(await statusOf(request(kind, eve))).toBe(404);
    expect(await statusOf(eve.send('POST', `${base}/${id}/confirm`))).toBe(404);
    expect(await statusOf(eve.send('DELETE', `${base}/${id}`))).toBe(404);
    const other = new OverrideScenario(env, 'v3.0.0', { name: `other-${named}` });
    await other.red();
    expect(await statusOf(other.confirm(bob, kind, requested))).toBe(404);
    for (const none of [randomUUID(), 'no-id', '1%00']) {
      expect(await statusOf(bob.send('POST', `${base}/${none}/confirm`))).toBeGreaterThanOrEqual(400);
      expect(await statusOf(bob.get(`/api/milestones/${none}/${kind}`))).toBeGreaterThanOrEqual(400);
    }
    expect(await confirmed(kind)).toBe(false);
  });

  it('is hidden with a private repository from users who cannot read it', async () => {
    const requested = await request(kind);
    scenario.repository.changeVisibility('private');
    await env.waitUntilIdle();
    const base = await path(kind);
    expect(await statusOf(mia.get(base))).toBe(404);
    expect(await statusOf(bob.send('POST', `${base}/${String(requested.body['id'])}/confirm`))).toBe(404);
  });

  it('is in the audit log, step by step', async () => {
    const requested = await request(kind);
    await scenario.confirm(bob, kind, requested);
    await scenario.withdraw(ada, kind, requested);
    const name = kind === 'waivers' ? 'waiver' : 'break_glass';
    expect((await auditOf(env, await env.orgId())).slice(-3)).toEqual(
      ['requested', 'confirmed', 'withdrawn'].map((step) => `${name}.${step} v1.0.0`),
    );
  });
});

describe('every decision of these tests', () => {
  it('can be replayed with the same result', async () => {
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
