import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { withClient } from '../../src/database/session.js';
import { replayKept } from '../support/kept-decisions.js';
import { type JsonAnswer, type SignedIn, signedIn } from '../support/signed-in.js';
import { World } from '../support/world.js';
import { auditOf } from './scene/members.js';
import { OverrideScene } from './scene/override-scene.js';
import { codesOf, PLAIN_POLICY } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const VERSION = 'v1.0.0';
const NOWHERE = '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b';

let world: World;
let ada: SignedIn;

beforeAll(async () => {
  world = await World.start({ BILLING: 'off' });
  await world.install();
  ada = await signedIn(world, world.github.createUser({ login: 'ada' }), { role: 'admin' });
});
afterAll(() => world.stop());
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

const sceneOf = (name: string, sdlc = PLAIN_POLICY): OverrideScene => new OverrideScene(world, VERSION, { name, sdlc });
const record = async (scene: OverrideScene, more: object = {}, by = ada): Promise<JsonAnswer> =>
  by.send('POST', '/api/history', { milestoneId: await scene.id(), ...more });
const statusOf = async (answer: Promise<JsonAnswer>): Promise<number> => (await answer).status;
const historyOf = async (name: string): Promise<readonly object[]> =>
  (await ada.get(`/api/history?repository=acme/${name}`)).body['history'] as readonly object[];
const iso = (at: Date | number): string => new Date(at).toISOString();
const now = (): number => world.clock.now().getTime();
const stageOf = async (scene: OverrideScene): Promise<unknown> => (await scene.gate(VERSION)).current_stage;
/** The next candidate, approved as the one before it. */
async function approvedAnew(scene: OverrideScene): Promise<string> {
  const sha = scene.commit();
  await world.settle();
  await scene.test(VERSION, sha);
  scene.approve(VERSION);
  await world.settle();
  return sha;
}

describe('a deployment that an admin records', () => {
  it('ships the release, and is in the history, the audit log and the log of stages', async () => {
    const scene = sceneOf('told');
    const sha = await scene.approved(VERSION);
    const before = now();
    const { status, body } = await record(scene, { note: ' GitHub was down ', environment: 'production' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        milestoneId: await scene.id(),
        org: 'acme',
        repo: 'told',
        version: VERSION,
        kind: 'release',
        candidateSha: sha,
        environment: 'production',
        deployedAt: expect.any(String),
        deployedBy: 'ada',
        approvers: [scene.reviewer.login],
        decisionId: expect.any(String),
        score: 100,
        leadTimeSeconds: expect.any(Number),
        overrides: [],
        note: 'GitHub was down',
      },
    ]);
    expect(Date.parse(String(body['deployedAt']))).toBeGreaterThanOrEqual(before);
    expect(await historyOf('told')).toEqual([body]);
    const decision = await ada.get(`/api/milestones/${await scene.id()}/decisions/${String(body['decisionId'])}`);
    expect(decision.body).toMatchObject({ open: true, candidateSha: sha });
    await world.settle();
    expect(await scene.gate(VERSION, { sha })).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    expect(await auditOf(world, await world.orgId())).toContain(`deployment.recorded ${VERSION}`);
    const transitions = await world.asSuperuser(
      `select from_stage, to_stage, actor from stage_transition where release_id = '${await scene.id()}'
       order by id desc limit 1`,
    );
    expect(transitions).toEqual([{ from_stage: 'DEPLOYMENT', to_stage: 'DEPLOYED', actor: 'ada' }]);
    expect(await world.asSuperuser(`select type from event where release_id = '${await scene.id()}'`)).toContainEqual({
      type: 'release.updated',
    });

    const again = await record(scene);
    expect([again.status, again.body]).toEqual([409, { error: expect.stringContaining('shipped already') }]);
    // GitHub tells of it after all.
    await scene.deploy(sha);
    expect(await historyOf('told')).toEqual([body]);
  });

  it('takes its place by when it was deployed, and not by when it was told', async () => {
    const scene = sceneOf('told-late', `${PLAIN_POLICY}quality_gates: { coverage: { max_drop: 1 } }\n`);
    const covered = async (version: string, percent: number): Promise<string> => {
      const sha = await scene.evidencing(version);
      await scene.run(sha).upload(version, { metrics: { coverage: { line_percent: percent } } });
      await world.settle();
      return sha;
    };
    const approved = async (version: string, percent: number): Promise<string> => {
      const sha = await covered(version, percent);
      scene.approve(version);
      await world.settle();
      return sha;
    };
    const first = await approved(VERSION, 89.5);
    world.clock.advance(MINUTE_MS);
    const then = now();
    world.clock.advance(MINUTE_MS);
    const second = await approved('v1.1.0', 90);
    await scene.deploy(second);
    expect(await statusOf(record(scene, { deployedAt: iso(then) }))).toBe(201);
    await scene.deploy(second);
    await scene.deploy(first);
    expect(await historyOf('told-late')).toMatchObject([
      { kind: 'rollback', version: VERSION },
      { kind: 'release', version: 'v1.1.0' },
      { kind: 'release', version: VERSION, deployedAt: iso(then) },
    ]);
    // Less than one per cent below what was recorded last, and more below what was deployed last.
    await covered('v1.2.0', 88.8);
    expect(codesOf(await scene.gate('v1.2.0'))).toContain('quality_gate_failing');
  });

  it('is recorded once, however many record it while GitHub tells of it', async () => {
    const scene = sceneOf('told-at-once');
    const sha = await scene.approved(VERSION);
    world.clock.advance(2_000);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => statusOf(record(scene)))),
      scene.deploy(sha),
    ]);
    const [first, ...others] = answers.toSorted((one, other) => one - other);
    expect([201, 409]).toContain(first);
    expect(others).toEqual([409, 409, 409]);
    expect(await historyOf('told-at-once')).toMatchObject([{ kind: 'release', candidateSha: sha }]);
    expect(await stageOf(scene)).toBe('DEPLOYED');
  });

  it('of a hotfix is one, and says what people had set aside', async () => {
    const scene = sceneOf('told-override');
    const [bob, cy] = [await scene.admin('bob'), await scene.admin('cy')];
    scene.milestone(VERSION);
    const sha = scene.commit({ branch: `hotfix/${VERSION}` });
    await world.settle();
    expect(await statusOf(record(scene))).toBe(409);
    await scene.confirm(cy, 'break-glass', await scene.askToBreakGlass(bob, sha));
    const { status, body } = await record(scene);
    expect([status, body]).toMatchObject([
      201,
      {
        kind: 'hotfix',
        candidateSha: sha,
        approvers: [],
        overrides: [
          {
            kind: 'break_glass',
            reason: 'all is down',
            requestedBy: 'bob',
            confirmedBy: 'cy',
            expiresAt: expect.any(String),
            conditions: expect.arrayContaining([expect.objectContaining({ code: 'evidence_missing' })]),
          },
        ],
      },
    ]);
    expect(await historyOf('told-override')).toEqual([body]);
  });
});

describe('the moment of a deployment that an admin records', () => {
  it('may lie in the past, as far as the gate was open for the same candidate', async () => {
    const scene = sceneOf('earlier');
    await scene.evidencing(VERSION);
    world.clock.advance(MINUTE_MS);
    const closed = now();
    world.clock.advance(MINUTE_MS);
    scene.approve(VERSION);
    await world.settle();
    world.clock.advance(MINUTE_MS);
    const ofFirst = now();
    world.clock.advance(MINUTE_MS);
    const second = await approvedAnew(scene);
    world.clock.advance(MINUTE_MS);
    const ofSecond = now();
    world.clock.advance(2 * MINUTE_MS);

    const refused = async (at: number, sentence: RegExp): Promise<void> => {
      const { status, body } = await record(scene, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringMatching(sentence) }]);
    };
    await refused(closed, /not open at deployedAt/);
    await refused(Date.parse('2001-01-01T00:00:00Z'), /not open at deployedAt/);
    await refused(ofFirst, /was not [0-9a-f]{40}/);
    expect(await statusOf(record(scene, { deployedAt: iso(now() + MINUTE_MS) }))).toBe(400);
    expect(await historyOf('earlier')).toEqual([]);

    const inAnotherZone = iso(ofSecond + 2 * 60 * MINUTE_MS).replace('Z', '+02:00');
    const { status, body } = await record(scene, { deployedAt: inAnotherZone });
    expect([status, body]).toMatchObject([201, { candidateSha: second, deployedAt: iso(ofSecond) }]);
  });

  it('is not that of a deployment which went past the gate, and of which GitHub has told', async () => {
    const scene = sceneOf('told-of');
    const sha = await scene.evidencing(VERSION);
    world.clock.advance(MINUTE_MS);
    const { deployments } = scene.repository;
    const early = deployments.create({ ref: sha, environment: 'production' });
    world.clock.advance(MINUTE_MS);
    scene.approve(VERSION);
    await world.settle();
    world.clock.advance(MINUTE_MS);
    const underWay = now();
    world.clock.advance(MINUTE_MS);
    deployments.setStatus(early, 'success');
    await world.settle();
    const [ungoverned] = await historyOf('told-of');
    expect(ungoverned).toMatchObject({ kind: 'ungoverned', candidateSha: sha });
    const { deployedAt } = ungoverned as { readonly deployedAt: string };
    world.clock.advance(MINUTE_MS);
    for (const at of [iso(underWay), deployedAt]) {
      const { status, body } = await record(scene, { deployedAt: at });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('GitHub has told') }]);
    }
    expect(await statusOf(record(scene))).toBe(201);
  });

  it('lies in no freeze, although nobody asked the gate meanwhile', async () => {
    const day = (days: number): string => iso(now() + days * DAY_MS).slice(0, 10);
    const [frozenDay, later] = [day(2), day(3)];
    const frozen = `${PLAIN_POLICY}freezes: [{ from: ${frozenDay}, to: ${frozenDay}, reason: audit }]\n`;
    const scenes = [sceneOf('in-a-freeze', frozen), sceneOf('in-a-freeze-of-then', frozen)] as const;
    for (const scene of scenes) await scene.approved(VERSION);
    world.clock.advance(Date.parse(`${later}T12:00:00Z`) - now());
    const by = await scenes[0].admin('dora');
    // The policy is tidied up.
    scenes[1].repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await world.settle();
    for (const scene of scenes) {
      const { status, body } = await record(scene, { deployedAt: `${frozenDay}T12:00:00Z` }, by);
      expect([status, body]).toEqual([409, { error: expect.stringContaining('frozen') }]);
      expect(await statusOf(record(scene, {}, by))).toBe(201);
    }
    ada = await signedIn(world, ada.user, { role: 'admin' });
  });

  it('lies within what people had set aside, and not between', async () => {
    const scene = sceneOf('between-overrides');
    const [eli, fay] = [await scene.admin('eli'), await scene.admin('fay')];
    const sha = await scene.evidencing(VERSION);
    const broken = async (): Promise<number> => {
      await scene.confirm(fay, 'break-glass', await scene.askToBreakGlass(eli, sha));
      world.clock.advance(MINUTE_MS);
      return now();
    };
    const refused = async (at: number): Promise<void> => {
      const { status, body } = await record(scene, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('not open at deployedAt') }]);
    };
    const first = await broken();
    world.clock.advance(4 * 60 * MINUTE_MS);
    const between = now();
    world.clock.advance(MINUTE_MS);
    const asked = await scene.askToBreakGlass(eli, sha);
    await scene.confirm(fay, 'break-glass', asked);
    await scene.withdraw(fay, 'break-glass', asked);
    world.clock.advance(MINUTE_MS);
    const withdrawn = now();
    world.clock.advance(MINUTE_MS);
    await broken();
    await refused(between);
    await refused(withdrawn);
    const { status, body } = await record(scene, { deployedAt: iso(first) });
    expect([status, body]).toMatchObject([201, { deployedAt: iso(first), overrides: [{ kind: 'break_glass' }] }]);
  });
});

describe('nothing is recorded', () => {
  /** Of releases that nobody shipped at the end. */
  let open: OverrideScene;
  let closed: OverrideScene;
  beforeAll(async () => {
    [open, closed] = [sceneOf('open'), sceneOf('closed')];
    await open.approved(VERSION);
    await closed.evidencing(VERSION);
  });
  afterEach(async () => {
    expect([await historyOf('open'), await historyOf('closed')]).toEqual([[], []]);
    expect(
      (await world.asSuperuser(`select from release where shipped_at is not null and id = '${await open.id()}'`))
        .length,
    ).toBe(0);
  });

  it('while the gate is closed, and the answer says why', async () => {
    const { status, body } = await record(closed);
    expect([status, body]).toEqual([
      409,
      { error: expect.stringMatching(/^The gate of v1\.0\.0 is closed\. .*approv/) },
    ]);
    expect(await stageOf(closed)).toBe('EVIDENCING');
  });

  it('of a release that is cancelled', async () => {
    const [milestone] = closed.repository.milestones.list();
    if (milestone) closed.repository.milestones.close(milestone);
    await world.settle();
    expect(await record(closed)).toMatchObject({ status: 409, body: { error: expect.stringContaining('closed') } });
  });

  it.each(['staging', 'Production', ' production'])(
    'of what was deployed to "%s", which is not the target',
    async (environment) => {
      const { status, body } = await record(open, { environment });
      expect([status, body]).toEqual([422, { error: expect.stringContaining('production') }]);
    },
  );

  it('while GitHub does not tell how the release stands', async () => {
    // Longer than a permission counts, and shorter than a membership does.
    world.clock.advance(6 * MINUTE_MS);
    world.github.faults.next({ kind: '5xx', status: 503, times: 1_000 });
    const answer = await record(open);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    world.github.faults.clear();
    // As long as the service leaves a silent host alone.
    world.clock.advance(2 * MINUTE_MS);
    expect(await stageOf(open)).toBe('DEPLOYMENT');
  });

  it('for whoever may not', async () => {
    const member = await signedIn(world, world.github.createUser({ login: 'mia' }));
    const organization = world.github.createOrganization({ login: 'foreign' });
    await world.install(organization);
    const eve = await open.admin('eve', organization);
    expect(await statusOf(record(open, {}, member))).toBe(403);
    expect(await statusOf(record(open, {}, eve))).toBe(404);
    open.repository.changeVisibility('private');
    await world.settle();
    expect(await statusOf(record(open))).toBe(404);
    open.repository.changeVisibility('public');
    await world.settle();
  });

  it('for who is an admin no more when it comes to it', async () => {
    const flo = await open.admin('flo');
    const answer = await withClient(world.databaseUrls.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(`update member set role = 'member' where person = $1`, [flo.user.id]);
      const asked = record(open, {}, flo);
      await waitsForLock(client);
      await client.query('commit');
      return asked;
    });
    expect(answer.status).toBe(403);
    expect(await stageOf(open)).toBe('DEPLOYMENT');
  });
});

describe('what an admin sends', () => {
  it.each([
    {},
    { milestoneId: 'v1.0.0' },
    { milestoneId: null },
    { deployedAt: null },
    { deployedAt: '2026-05-04' },
    { deployedAt: '2026-05-04T10:00:00' },
    { deployedAt: '2026-02-30T10:00:00Z' },
    { deployedAt: '2026-05-04T23:59:60Z' },
    { deployedAt: 1_777_000_000 },
    { environment: null },
    { environment: '' },
    { environment: 'x'.repeat(256) },
    { note: null },
    { note: ' ' },
    { note: 'two\nlines' },
    { note: 'x'.repeat(501) },
    { kind: 'release' },
    { approvers: ['ada'] },
  ])('is refused where it is %j', async (changes) => {
    const known = 'milestoneId' in changes || Object.keys(changes).length === 0 ? {} : { milestoneId: NOWHERE };
    const { status, body } = await ada.send('POST', '/api/history', { ...known, ...changes });
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
  });

  it('is of a release that there is', async () => {
    expect(await statusOf(ada.send('POST', '/api/history', { milestoneId: NOWHERE }))).toBe(404);
  });
});

/** Until somebody waits for what the client holds. */
async function waitsForLock(client: Client): Promise<void> {
  for (;;) {
    // What a transaction has read of this it would be told again.
    await client.query('select pg_stat_clear_snapshot()');
    const { rowCount } = await client.query(
      `select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`,
    );
    if (rowCount !== null && rowCount > 0) return;
    await sleep(20);
  }
}

describe('every decision by which a release was shipped', () => {
  it('follows again from what it rests on', async () => {
    const { kept, differing } = await replayKept(world);
    expect(kept).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
