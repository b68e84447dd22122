import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/kept-decisions.js';
import type { JsonAnswer } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { auditOf } from './scene/members.js';
import type { OverrideScene } from './scene/override-scene.js';
import { ManualDeploymentScenario, VERSION } from './scene/recording.js';
import { codesOf, PLAIN_POLICY } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let world: TestEnvironment;
let recording: ManualDeploymentScenario;

beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  await world.install();
  recording = await ManualDeploymentScenario.in(world);
});
afterAll(() => world.stop());
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

const statusOf = async (answer: Promise<JsonAnswer>): Promise<number> => (await answer).status;
const iso = (at: Date | number): string => new Date(at).toISOString();
const now = (): number => world.clock.now().getTime();
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
    const scene = recording.sceneOf('told');
    const sha = await scene.approved(VERSION);
    const before = now();
    const { status, body } = await recording.record(scene, { note: ' GitHub was down ', environment: 'production' });
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
    expect(await recording.historyOf('told')).toEqual([body]);
    const decision = await recording.ada.get(
      `/api/milestones/${await scene.id()}/decisions/${String(body['decisionId'])}`,
    );
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

    const again = await recording.record(scene);
    expect([again.status, again.body]).toEqual([409, { error: expect.stringContaining('already shipped') }]);
    // GitHub tells of it after all.
    await scene.deploy(sha);
    expect(await recording.historyOf('told')).toEqual([body]);
  });

  it('takes its place by when it was deployed, and not by when it was told', async () => {
    const scene = recording.sceneOf('told-late', `${PLAIN_POLICY}quality_gates: { coverage: { max_drop: 1 } }\n`);
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
    expect(await statusOf(recording.record(scene, { deployedAt: iso(then) }))).toBe(201);
    await scene.deploy(second);
    await scene.deploy(first);
    expect(await recording.historyOf('told-late')).toMatchObject([
      { kind: 'rollback', version: VERSION },
      { kind: 'release', version: 'v1.1.0' },
      { kind: 'release', version: VERSION, deployedAt: iso(then) },
    ]);
    // Less than one per cent below what was recorded last, and more below what was deployed last.
    await covered('v1.2.0', 88.8);
    expect(codesOf(await scene.gate('v1.2.0'))).toContain('quality_gate_failing');
  });

  it('is recorded once, however many record it while GitHub tells of it', async () => {
    const scene = recording.sceneOf('told-at-once');
    const sha = await scene.approved(VERSION);
    world.clock.advance(2_000);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => statusOf(recording.record(scene)))),
      scene.deploy(sha),
    ]);
    const [first, ...others] = answers.toSorted((one, other) => one - other);
    expect([201, 409]).toContain(first);
    expect(others).toEqual([409, 409, 409]);
    expect(await recording.historyOf('told-at-once')).toMatchObject([{ kind: 'release', candidateSha: sha }]);
    expect(await recording.stageOf(scene)).toBe('DEPLOYED');
  });

  it('of a hotfix is one, and says what people had set aside', async () => {
    const scene = recording.sceneOf('told-override');
    const [bob, cy] = [await scene.admin('bob'), await scene.admin('cy')];
    scene.milestone(VERSION);
    const sha = scene.commit({ branch: `hotfix/${VERSION}` });
    await world.settle();
    expect(await statusOf(recording.record(scene))).toBe(409);
    await scene.confirm(cy, 'break-glass', await scene.askToBreakGlass(bob, sha));
    const { status, body } = await recording.record(scene);
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
    expect(await recording.historyOf('told-override')).toEqual([body]);
  });
});

describe('the moment of a deployment that an admin records', () => {
  it('may lie in the past, as far as the gate was open for the same candidate', async () => {
    const scene = recording.sceneOf('earlier');
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
      const { status, body } = await recording.record(scene, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringMatching(sentence) }]);
    };
    await refused(closed, /gate was closed at deployedAt/);
    await refused(Date.parse('2001-01-01T00:00:00Z'), /gate was closed at deployedAt/);
    await refused(ofFirst, /was not [0-9a-f]{40}/);
    expect(await statusOf(recording.record(scene, { deployedAt: iso(now() + MINUTE_MS) }))).toBe(400);
    expect(await recording.historyOf('earlier')).toEqual([]);

    const inAnotherZone = iso(ofSecond + 2 * 60 * MINUTE_MS).replace('Z', '+02:00');
    const { status, body } = await recording.record(scene, { deployedAt: inAnotherZone });
    expect([status, body]).toMatchObject([201, { candidateSha: second, deployedAt: iso(ofSecond) }]);
  });

  it('lies where the gate is known to have stood open, and not where its answer had expired', async () => {
    const scene = recording.sceneOf('expired-then');
    await scene.approved(VERSION);
    const opened = now();
    world.clock.advance(30 * MINUTE_MS);
    const expired = now();
    world.clock.advance(MINUTE_MS);
    expect(await scene.gate(VERSION)).toMatchObject({ can_deploy: true });
    const { status, body } = await recording.record(scene, { deployedAt: iso(expired) });
    expect([status, body]).toEqual([409, { error: expect.stringContaining('gate was closed at deployedAt') }]);
    expect(await statusOf(recording.record(scene, { deployedAt: iso(opened) }))).toBe(201);
  });

  it('may be told in whole seconds, of the second in which the gate opened', async () => {
    const scene = recording.sceneOf('told-to-the-second');
    await scene.approved(VERSION);
    const [opened] = await world.asSuperuser<{ at: Date }>(
      `select max(at) as at from decision where open and release_id = '${await scene.id()}'`,
    );
    const second = `${iso(opened?.at ?? 0).slice(0, 19)}Z`;
    expect(await statusOf(recording.record(scene, { deployedAt: second }))).toBe(201);
  });

  it('is not that of a deployment which went past the gate, and of which GitHub has told', async () => {
    const scene = recording.sceneOf('told-of');
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
    const [ungoverned] = await recording.historyOf('told-of');
    expect(ungoverned).toMatchObject({ kind: 'ungoverned', candidateSha: sha });
    const { deployedAt } = ungoverned as { readonly deployedAt: string };
    world.clock.advance(MINUTE_MS);
    for (const at of [iso(underWay), deployedAt]) {
      const { status, body } = await recording.record(scene, { deployedAt: at });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('GitHub reported the deployment') }]);
    }
    expect(await statusOf(recording.record(scene))).toBe(201);
  });

  it('lies in no freeze, although nobody asked the gate meanwhile', async () => {
    const day = (days: number): string => iso(now() + days * DAY_MS).slice(0, 10);
    const [frozenDay, later] = [day(2), day(3)];
    const frozen = `${PLAIN_POLICY}freezes: [{ from: ${frozenDay}, to: ${frozenDay}, reason: audit }]\n`;
    const scenes = [
      recording.sceneOf('in-a-freeze', frozen),
      recording.sceneOf('in-a-freeze-of-then', frozen),
    ] as const;
    for (const scene of scenes) await scene.approved(VERSION);
    world.clock.advance(Date.parse(`${later}T12:00:00Z`) - now());
    const by = await scenes[0].admin('dora');
    // The policy is tidied up.
    scenes[1].repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await world.settle();
    for (const scene of scenes) {
      const { status, body } = await recording.record(scene, { deployedAt: `${frozenDay}T12:00:00Z` }, by);
      expect([status, body]).toEqual([409, { error: expect.stringContaining('A freeze was active') }]);
      expect(await statusOf(recording.record(scene, {}, by))).toBe(201);
    }
    await recording.comeBack();
  });

  it('lies within what people had set aside, and not between', async () => {
    const scene = recording.sceneOf('between-overrides');
    const [eli, fay] = [await scene.admin('eli'), await scene.admin('fay')];
    const sha = await scene.evidencing(VERSION);
    const broken = async (): Promise<number> => {
      await scene.confirm(fay, 'break-glass', await scene.askToBreakGlass(eli, sha));
      world.clock.advance(MINUTE_MS);
      return now();
    };
    const refused = async (at: number): Promise<void> => {
      const { status, body } = await recording.record(scene, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('gate was closed at deployedAt') }]);
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
    const { status, body } = await recording.record(scene, { deployedAt: iso(first) });
    expect([status, body]).toMatchObject([201, { deployedAt: iso(first), overrides: [{ kind: 'break_glass' }] }]);
  });
});

describe('every decision by which a release was shipped', () => {
  it('follows again from what it rests on', async () => {
    const { kept, differing } = await replayStoredDecisions(world);
    expect(kept).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
