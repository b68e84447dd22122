import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { OrgId } from '../../src/database/ids.js';
import type { User } from '../github-sim/state/user.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { auditOf } from './scenarios/members.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let env: TestEnvironment;
let orgId: OrgId;
let scenario: RepositoryScenario;
let adaUser: User;
let miaUser: User;
let ada: UserSession;
let mia: UserSession;
/** A freeze of today and tomorrow, so it is still active at the end of the test. */
let freeze: { readonly from: string; readonly to: string; readonly reason: string };
let named = 0;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  orgId = await env.install();
  [adaUser, miaUser] = [env.github.createUser({ login: 'ada' }), env.github.createUser({ login: 'mia' })];
});
afterAll(() => env.stop());
const day = (after = 0): string => new Date(env.clock.now().getTime() + after * DAY_MS).toISOString().slice(0, 10);

/** Signs the users in again, because a session of yesterday has expired. */
async function signInFresh(): Promise<void> {
  [ada, mia] = [await signIn(env, adaUser, { role: 'admin' }), await signIn(env, miaUser)];
}

beforeEach(async () => {
  await signInFresh();
  freeze = { from: day(), to: day(1), reason: 'launch' };
  named += 1;
  scenario = new RepositoryScenario(env, { name: `frozen-${named}` });
});
afterEach(async () => {
  await env.asSuperuser('delete from deployment_freeze');
  expect(env.violations).toEqual([]);
});

const make = (body: object = freeze, by = ada): Promise<JsonAnswer> => by.send('POST', '/api/freezes', body);
const lift = (id: unknown, by = ada): Promise<JsonAnswer> => by.send('DELETE', `/api/freezes/${String(id)}`);
const listed = async (): Promise<unknown> => (await mia.get('/api/freezes')).body;
/** The response of the fast path, which does not call GitHub. */
const isOpen = async (): Promise<boolean> =>
  (await scenario.run(scenario.head()).gate('v1.0.0', { explain: 'false' })).can_deploy;

describe('a freeze of the workspace', () => {
  it('closes an open gate before the request returns, and is named in the reasons', async () => {
    const sha = await scenario.approved('v1.0.0');
    expect(await isOpen()).toBe(true);
    const { status, body } = await make();
    expect([status, body]).toEqual([
      201,
      { id: expect.any(String), ...freeze, createdBy: 'ada', createdAt: expect.any(String) },
    ]);
    expect(Math.abs(Date.parse(String(body['createdAt'])) - env.clock.now().getTime())).toBeLessThan(MINUTE_MS);
    expect(await isOpen()).toBe(false);
    const explained = await scenario.gate('v1.0.0', { sha });
    expect(explained).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: false, tests_passing: true });
    expect(explained.reasons).toEqual([
      { code: 'freeze', detail: `Deployments are frozen from ${freeze.from} to ${freeze.to}: launch.`, actor: 'admin' },
    ]);
    expect((await lift(body['id'])).status).toBe(204);
    expect(await isOpen()).toBe(true);
  });

  it('is evaluated by jobs, so its decision exists without a gate request', async () => {
    await scenario.approved('v1.0.0');
    const decided = async (): Promise<readonly object[]> =>
      env.asSuperuser(
        `select open from decision d join release r on r.id = d.release_id join repository p on p.id = r.repository_id
         where p.name = '${scenario.repository.name}' order by d.sequence desc limit 1`,
      );
    expect(await decided()).toEqual([{ open: true }]);
    const { body } = await make();
    await env.waitUntilIdle();
    expect(await decided()).toEqual([{ open: false }]);
    await lift(body['id']);
    await env.waitUntilIdle();
    expect(await decided()).toEqual([{ open: true }]);
  });

  it('closes the gate at its start and lets it open after its end', async () => {
    await scenario.approved('v1.0.0');
    const tomorrow = { from: day(1), to: day(1), reason: 'launch' };
    expect((await make(tomorrow)).status).toBe(201);
    expect(await isOpen()).toBe(true);
    const toMidnight = Date.parse(tomorrow.from) - env.clock.now().getTime();
    env.clock.advance(toMidnight - MINUTE_MS);
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual([]);
    env.clock.advance(2 * MINUTE_MS);
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['freeze']);
    env.clock.advance(DAY_MS);
    await signInFresh();
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual([]);
    expect(await listed()).toEqual({ freezes: [] });
  });

  it('ships no release that was deployed during it, without an evaluation in between', async () => {
    const sha = await scenario.approved('v1.0.0');
    await env.database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_by, made_at)
         values ($1, $2, $3, $4, 'launch', 1, $5)`,
        [orgId, randomUUID(), freeze.from, freeze.to, env.clock.now()],
      ),
    );
    await scenario.deploy(sha);
    const recorded = await env.asSuperuser(
      `select kind, overrides from deployment_record h join repository p on p.id = h.repository_id
       where p.name = '${scenario.repository.name}'`,
    );
    expect(recorded).toEqual([{ kind: 'ungoverned', overrides: [] }]);
  });

  it('waits for a running evaluation whose verdict would not include it', async () => {
    await scenario.approved('v1.0.0');
    const judging = await env.database.pool.connect();
    try {
      await judging.query('begin');
      await judging.query(`select set_config('app.org_id', $1, true)`, [orgId]);
      await judging.query('select from release for no key update');
      const answer = make();
      await waiting();
      // The verdict without the freeze has an open gate for a year.
      await judging.query(`update release set open_until = $1, valid_until = $1`, [
        new Date(env.clock.now().getTime() + 365 * DAY_MS),
      ]);
      await judging.query('commit');
      expect((await answer).status).toBe(201);
      expect(await isOpen()).toBe(false);
    } finally {
      judging.release();
    }
  });

  it('closes the gate for concurrent requests as soon as it is created', async () => {
    await scenario.approved('v1.0.0');
    let created = false;
    const late: boolean[] = [];
    const request = async (): Promise<void> => {
      for (let callsBefore = 0; callsBefore < 10; callsBefore += 1) {
        const before = created;
        const open = await isOpen();
        if (before) late.push(open);
      }
    };
    const crowd = Array.from({ length: 8 }, request);
    await make();
    created = true;
    await Promise.all([...crowd, request()]);
    expect(late.length).toBeGreaterThan(0);
    expect(late).not.toContain(true);
  });

  it('is created and lifted only by admins of the workspace, and recorded in the audit log', async () => {
    expect((await make(freeze, mia)).status).toBe(403);
    const { body } = await make();
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const eve = await signIn(env, env.github.createUser({ login: 'eve' }), {
      role: 'admin',
      organization: elsewhere,
    });
    expect((await eve.get('/api/freezes')).body).toEqual({ freezes: [] });
    expect([(await lift(body['id'], eve)).status, (await lift(body['id'], mia)).status]).toEqual([404, 403]);
    expect(await listed()).toEqual({ freezes: [body] });
    expect((await lift(body['id'])).status).toBe(204);
    expect((await lift(body['id'])).status).toBe(404);
    expect((await lift('no-id')).status).toBe(404);
    expect((await auditOf(env, orgId)).slice(-2)).toEqual([
      `freeze.made ${freeze.from} to ${freeze.to}`,
      `freeze.lifted ${freeze.from} to ${freeze.to}`,
    ]);
  });

  it('is listed with the present login of its creator, or null for an unknown user', async () => {
    const { body } = await make();
    adaUser.login = 'ada-renamed';
    await signInFresh();
    expect(await listed()).toEqual({ freezes: [{ ...body, createdBy: 'ada-renamed' }] });
    adaUser.login = 'ada';
    await env.asSuperuser(`update deployment_freeze set made_by = 4711`);
    expect(await listed()).toEqual({ freezes: [{ ...body, createdBy: null }] });
  });

  it('is recorded in the audit log with its days and its reason', async () => {
    const { body } = await make();
    await lift(body['id']);
    const recorded = await env.asSuperuser<{ action: string; data: object }>(
      `select action, data from audit_entry where action like 'freeze.%' order by sequence desc limit 2`,
    );
    const data = { id: body['id'], ...freeze };
    expect(recorded).toEqual([
      { action: 'freeze.lifted', data },
      { action: 'freeze.made', data },
    ]);
  });

  it.each<[string, object]>([
    ['no reason', { reason: undefined }],
    ['an empty reason', { reason: '' }],
    ['a blank reason', { reason: '  ' }],
    ['a reason of two lines', { reason: 'a\nb' }],
    ['a reason that is too long', { reason: 'x'.repeat(501) }],
    ['an end before its beginning', { from: '2099-01-02', to: '2099-01-01' }],
    ['a day that does not exist', { from: '2026-02-30' }],
    ['a month that does not exist', { to: '2099-13-01' }],
    ['a time of day', { to: '2099-05-04T00:00:00Z' }],
    ['days that are over', { from: '2026-05-01', to: '2026-05-03' }],
    ['a number for a day', { from: 20_260_504 }],
    ['an id', { id: randomUUID() }],
  ])('is not created with %s', async (_name, changes) => {
    expect((await make({ ...freeze, ...changes })).status).toBe(400);
    expect(await listed()).toEqual({ freezes: [] });
  });

  it('is listed by its days, earliest first', async () => {
    const days = [day(), day(30), day(60)];
    for (const from of days.toReversed()) await make({ ...freeze, from, to: day(90) });
    const { freezes } = (await listed()) as { freezes: readonly { from: string }[] };
    expect(freezes.map(({ from }) => from)).toEqual(days);
  });
});

/** Waits until a statement waits for a lock. */
async function waiting(): Promise<void> {
  for (;;) {
    const [row] = await env.asSuperuser<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
         as waiting`,
    );
    if (row?.waiting === true) return;
  }
}
