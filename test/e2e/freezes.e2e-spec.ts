import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { OrgId } from '../../src/database/ids.js';
import type { User } from '../github-sim/state/user.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { auditOf } from './scene/members.js';
import { codesOf, RepositoryScene } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let world: TestEnvironment;
let orgId: OrgId;
let scene: RepositoryScene;
let adaUser: User;
let miaUser: User;
let ada: UserSession;
let mia: UserSession;
/** Holds now, and does so at the end of the test. */
let freeze: { readonly from: string; readonly to: string; readonly reason: string };
let named = 0;

beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  orgId = await world.install();
  [adaUser, miaUser] = [world.github.createUser({ login: 'ada' }), world.github.createUser({ login: 'mia' })];
});
afterAll(() => world.stop());
const day = (after = 0): string => new Date(world.clock.now().getTime() + after * DAY_MS).toISOString().slice(0, 10);

/** Whoever was signed in yesterday is not today. */
async function signInFresh(): Promise<void> {
  [ada, mia] = [await signIn(world, adaUser, { role: 'admin' }), await signIn(world, miaUser)];
}

beforeEach(async () => {
  await signInFresh();
  freeze = { from: day(), to: day(1), reason: 'launch' };
  named += 1;
  scene = new RepositoryScene(world, { name: `frozen-${named}` });
});
afterEach(async () => {
  await world.asSuperuser('delete from deployment_freeze');
  expect(world.violations).toEqual([]);
});

const make = (body: object = freeze, by = ada): Promise<JsonAnswer> => by.send('POST', '/api/freezes', body);
const lift = (id: unknown, by = ada): Promise<JsonAnswer> => by.send('DELETE', `/api/freezes/${String(id)}`);
const listed = async (): Promise<unknown> => (await mia.get('/api/freezes')).body;
/** As the hot path answers it, which asks nobody. */
const isOpen = async (): Promise<boolean> =>
  (await scene.run(scene.head()).gate('v1.0.0', { explain: 'false' })).can_deploy;

describe('a freeze of the workspace', () => {
  it('closes an open gate before its request is answered, and says which it is', async () => {
    const sha = await scene.approved('v1.0.0');
    expect(await isOpen()).toBe(true);
    const { status, body } = await make();
    expect([status, body]).toEqual([201, { id: expect.any(String), ...freeze }]);
    expect(await isOpen()).toBe(false);
    const explained = await scene.gate('v1.0.0', { sha });
    expect(explained).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: false, tests_passing: true });
    expect(explained.reasons).toEqual([
      { code: 'freeze', detail: `Deployments are frozen from ${freeze.from} to ${freeze.to}: launch.`, actor: 'admin' },
    ]);
    expect((await lift(body['id'])).status).toBe(204);
    expect(await isOpen()).toBe(true);
  });

  it('is judged by jobs, so that a decision of it is there although nobody asks', async () => {
    await scene.approved('v1.0.0');
    const decided = async (): Promise<readonly object[]> =>
      world.asSuperuser(
        `select open from decision d join release r on r.id = d.release_id join repository p on p.id = r.repository_id
         where p.name = '${scene.repository.name}' order by d.sequence desc limit 1`,
      );
    expect(await decided()).toEqual([{ open: true }]);
    const { body } = await make();
    await world.settle();
    expect(await decided()).toEqual([{ open: false }]);
    await lift(body['id']);
    await world.settle();
    expect(await decided()).toEqual([{ open: true }]);
  });

  it('closes the gate at its first moment, and lets it open after its last', async () => {
    await scene.approved('v1.0.0');
    const tomorrow = { from: day(1), to: day(1), reason: 'launch' };
    expect((await make(tomorrow)).status).toBe(201);
    expect(await isOpen()).toBe(true);
    const toMidnight = Date.parse(tomorrow.from) - world.clock.now().getTime();
    world.clock.advance(toMidnight - MINUTE_MS);
    expect(codesOf(await scene.gate('v1.0.0'))).toEqual([]);
    world.clock.advance(2 * MINUTE_MS);
    expect(codesOf(await scene.gate('v1.0.0'))).toEqual(['freeze']);
    world.clock.advance(DAY_MS);
    await signInFresh();
    expect(codesOf(await scene.gate('v1.0.0'))).toEqual([]);
    expect(await listed()).toEqual({ freezes: [] });
  });

  it('ships nothing that was deployed while it held, although nobody had judged the release since', async () => {
    const sha = await scene.approved('v1.0.0');
    await world.database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_by, made_at)
         values ($1, $2, $3, $4, 'launch', 1, $5)`,
        [orgId, randomUUID(), freeze.from, freeze.to, world.clock.now()],
      ),
    );
    await scene.deploy(sha);
    const recorded = await world.asSuperuser(
      `select kind, overrides from deployment_record h join repository p on p.id = h.repository_id
       where p.name = '${scene.repository.name}'`,
    );
    expect(recorded).toEqual([{ kind: 'ungoverned', overrides: [] }]);
  });

  it('waits for a release that is being judged, whose verdict would not know of it', async () => {
    await scene.approved('v1.0.0');
    const judging = await world.database.pool.connect();
    try {
      await judging.query('begin');
      await judging.query(`select set_config('app.org_id', $1, true)`, [orgId]);
      await judging.query('select from release for no key update');
      const answer = make();
      await waiting();
      // What was judged without the freeze stands open for a year.
      await judging.query(`update release set open_until = $1, valid_until = $1`, [
        new Date(world.clock.now().getTime() + 365 * DAY_MS),
      ]);
      await judging.query('commit');
      expect((await answer).status).toBe(201);
      expect(await isOpen()).toBe(false);
    } finally {
      judging.release();
    }
  });

  it('closes the gate for a crowd that asks meanwhile: nobody is let through once it is made', async () => {
    await scene.approved('v1.0.0');
    let made = false;
    const late: boolean[] = [];
    const ask = async (): Promise<void> => {
      for (let asked = 0; asked < 10; asked += 1) {
        const before = made;
        const open = await isOpen();
        if (before) late.push(open);
      }
    };
    const crowd = Array.from({ length: 8 }, ask);
    await make();
    made = true;
    await Promise.all([...crowd, ask()]);
    expect(late.length).toBeGreaterThan(0);
    expect(late).not.toContain(true);
  });

  it('is made and lifted by admins alone, of their own workspace, and is in the audit log', async () => {
    expect((await make(freeze, mia)).status).toBe(403);
    const { body } = await make();
    const elsewhere = world.github.createOrganization({ login: 'elsewhere' });
    await world.install(elsewhere);
    const eve = await signIn(world, world.github.createUser({ login: 'eve' }), {
      role: 'admin',
      organization: elsewhere,
    });
    expect((await eve.get('/api/freezes')).body).toEqual({ freezes: [] });
    expect([(await lift(body['id'], eve)).status, (await lift(body['id'], mia)).status]).toEqual([404, 403]);
    expect(await listed()).toEqual({ freezes: [{ id: body['id'], ...freeze }] });
    expect((await lift(body['id'])).status).toBe(204);
    expect((await lift(body['id'])).status).toBe(404);
    expect((await lift('no-id')).status).toBe(404);
    expect((await auditOf(world, orgId)).slice(-2)).toEqual([
      `freeze.made ${freeze.from} to ${freeze.to}`,
      `freeze.lifted ${freeze.from} to ${freeze.to}`,
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
  ])('is not made with %s', async (_name, changes) => {
    expect((await make({ ...freeze, ...changes })).status).toBe(400);
    expect(await listed()).toEqual({ freezes: [] });
  });

  it('is listed by its days, the earliest first', async () => {
    const days = [day(), day(30), day(60)];
    for (const from of days.toReversed()) await make({ ...freeze, from, to: day(90) });
    const { freezes } = (await listed()) as { freezes: readonly { from: string }[] };
    expect(freezes.map(({ from }) => from)).toEqual(days);
  });
});

/** Until somebody waits for a lock. */
async function waiting(): Promise<void> {
  for (;;) {
    const [row] = await world.asSuperuser<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
         as waiting`,
    );
    if (row?.waiting === true) return;
  }
}
