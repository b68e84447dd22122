import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import type { JsonAnswer } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { auditOf } from './scenarios/members.js';
import type { OverrideScenario } from './scenarios/override-scenario.js';
import { ManualDeploymentScenario, VERSION } from './scenarios/manual-deployment-scenario.js';
import { codesOf, PLAIN_POLICY } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let env: TestEnvironment;
let recording: ManualDeploymentScenario;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  recording = await ManualDeploymentScenario.in(env);
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const statusOf = async (answer: Promise<JsonAnswer>): Promise<number> => (await answer).status;
const iso = (at: Date | number): string => new Date(at).toISOString();
const now = (): number => env.clock.now().getTime();
/** Creates the next candidate, with evidence and approval. */
async function approvedAnew(scenario: OverrideScenario): Promise<string> {
  const sha = scenario.commit();
  await env.waitUntilIdle();
  await scenario.test(VERSION, sha);
  scenario.approve(VERSION);
  await env.waitUntilIdle();
  return sha;
}

describe('a deployment that an admin records', () => {
  it('ships the release and appears in the history, the audit log and the stage log', async () => {
    const scenario = recording.scenarioOf('told');
    const sha = await scenario.approved(VERSION);
    const before = now();
    const { status, body } = await recording.record(scenario, { note: ' GitHub was down ', environment: 'production' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        milestoneId: await scenario.id(),
        org: 'acme',
        repoId: await scenario.repositoryId(),
        repo: 'told',
        repoUrl: `${env.github.url}/acme/told`,
        version: VERSION,
        kind: 'release',
        candidateSha: sha,
        candidateUrl: `${env.github.url}/acme/told/commit/${sha}`,
        environment: 'production',
        deployedAt: expect.any(String),
        deployedBy: 'ada',
        approvers: [scenario.reviewer.login],
        decisionId: expect.any(String),
        score: 100,
        leadTimeSeconds: expect.any(Number),
        overrides: [],
        source: 'manual',
        keyName: null,
        runUrl: null,
        note: 'GitHub was down',
      },
    ]);
    expect(Date.parse(String(body['deployedAt']))).toBeGreaterThanOrEqual(before);
    expect(await recording.historyOf('told')).toEqual([body]);
    const decision = await recording.ada.get(
      `/api/milestones/${await scenario.id()}/decisions/${String(body['decisionId'])}`,
    );
    expect(decision.body).toMatchObject({ open: true, candidateSha: sha });
    await env.waitUntilIdle();
    expect(await scenario.gate(VERSION, { sha })).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    expect(await auditOf(env, await env.orgId())).toContain(`deployment.recorded ${VERSION}`);
    const transitions = await env.asSuperuser(
      `select from_stage, to_stage, actor from stage_transition where release_id = '${await scenario.id()}'
       order by id desc limit 1`,
    );
    expect(transitions).toEqual([{ from_stage: 'DEPLOYMENT', to_stage: 'DEPLOYED', actor: 'ada' }]);
    expect(await env.asSuperuser(`select type from event where release_id = '${await scenario.id()}'`)).toContainEqual({
      type: 'release.updated',
    });

    const again = await recording.record(scenario);
    expect([again.status, again.body]).toEqual([409, { error: expect.stringContaining('already shipped') }]);
    // GitHub reports the deployment later.
    await scenario.deploy(sha);
    expect(await recording.historyOf('told')).toEqual([body]);
  });

  it('is placed in the history by the time of the deployment, not of the record', async () => {
    const scenario = recording.scenarioOf('told-late', `${PLAIN_POLICY}quality_gates: { coverage: { max_drop: 1 } }\n`);
    const covered = async (version: string, percent: number): Promise<string> => {
      const sha = await scenario.evidencing(version);
      await scenario.run(sha).upload(version, { metrics: { coverage: { line_percent: percent } } });
      await env.waitUntilIdle();
      return sha;
    };
    const approved = async (version: string, percent: number): Promise<string> => {
      const sha = await covered(version, percent);
      scenario.approve(version);
      await env.waitUntilIdle();
      return sha;
    };
    const first = await approved(VERSION, 89.5);
    env.clock.advance(MINUTE_MS);
    const then = now();
    env.clock.advance(MINUTE_MS);
    const second = await approved('v1.1.0', 90);
    await scenario.deploy(second);
    expect(await statusOf(recording.record(scenario, { deployedAt: iso(then) }))).toBe(201);
    await scenario.deploy(second);
    await scenario.deploy(first);
    expect(await recording.historyOf('told-late')).toMatchObject([
      { kind: 'rollback', version: VERSION },
      { kind: 'release', version: 'v1.1.0' },
      { kind: 'release', version: VERSION, deployedAt: iso(then) },
    ]);
    // Less than one percent below the release that was recorded last, and more below the release that was deployed
    // last.
    await covered('v1.2.0', 88.8);
    expect(codesOf(await scenario.gate('v1.2.0'))).toContain('quality_gate_failing');
  });

  it('is recorded once when several admins record it while GitHub reports it', async () => {
    const scenario = recording.scenarioOf('told-at-once');
    const sha = await scenario.approved(VERSION);
    env.clock.advance(2_000);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => statusOf(recording.record(scenario)))),
      scenario.deploy(sha),
    ]);
    const [first, ...others] = answers.toSorted((one, other) => one - other);
    expect([201, 409]).toContain(first);
    expect(others).toEqual([409, 409, 409]);
    expect(await recording.historyOf('told-at-once')).toMatchObject([{ kind: 'release', candidateSha: sha }]);
    expect(await recording.stageOf(scenario)).toBe('DEPLOYED');
  });

  it('of a hotfix is a hotfix, and names the overrides', async () => {
    const scenario = recording.scenarioOf('told-override');
    const [bob, cy] = [await scenario.admin('bob'), await scenario.admin('cy')];
    scenario.milestone(VERSION);
    const sha = scenario.commit({ branch: `hotfix/${VERSION}` });
    await env.waitUntilIdle();
    expect(await statusOf(recording.record(scenario))).toBe(409);
    await scenario.confirm(cy, 'break-glass', await scenario.requestBreakGlass(bob, sha));
    const { status, body } = await recording.record(scenario);
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

describe('the time of a deployment that an admin records', () => {
  it('can be in the past if the gate was open for the same candidate', async () => {
    const scenario = recording.scenarioOf('earlier');
    await scenario.evidencing(VERSION);
    env.clock.advance(MINUTE_MS);
    const closed = now();
    env.clock.advance(MINUTE_MS);
    scenario.approve(VERSION);
    await env.waitUntilIdle();
    env.clock.advance(MINUTE_MS);
    const ofFirst = now();
    env.clock.advance(MINUTE_MS);
    const second = await approvedAnew(scenario);
    env.clock.advance(MINUTE_MS);
    const ofSecond = now();
    env.clock.advance(2 * MINUTE_MS);

    const refused = async (at: number, sentence: RegExp): Promise<void> => {
      const { status, body } = await recording.record(scenario, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringMatching(sentence) }]);
    };
    await refused(closed, /gate was closed at deployedAt/);
    await refused(Date.parse('2001-01-01T00:00:00Z'), /gate was closed at deployedAt/);
    await refused(ofFirst, /was not [0-9a-f]{40}/);
    expect(await statusOf(recording.record(scenario, { deployedAt: iso(now() + MINUTE_MS) }))).toBe(400);
    expect(await recording.historyOf('earlier')).toEqual([]);

    const inAnotherZone = iso(ofSecond + 2 * 60 * MINUTE_MS).replace('Z', '+02:00');
    const { status, body } = await recording.record(scenario, { deployedAt: inAnotherZone });
    expect([status, body]).toMatchObject([201, { candidateSha: second, deployedAt: iso(ofSecond) }]);
  });

  it('must be in a period in which the gate was open and its decision had not expired', async () => {
    const scenario = recording.scenarioOf('expired-then');
    await scenario.approved(VERSION);
    const opened = now();
    env.clock.advance(30 * MINUTE_MS);
    const expired = now();
    env.clock.advance(MINUTE_MS);
    expect(await scenario.gate(VERSION)).toMatchObject({ can_deploy: true });
    const { status, body } = await recording.record(scenario, { deployedAt: iso(expired) });
    expect([status, body]).toEqual([409, { error: expect.stringContaining('gate was closed at deployedAt') }]);
    expect(await statusOf(recording.record(scenario, { deployedAt: iso(opened) }))).toBe(201);
  });

  it('can be in whole seconds, in the second in which the gate opened', async () => {
    const scenario = recording.scenarioOf('told-to-the-second');
    await scenario.approved(VERSION);
    const [opened] = await env.asSuperuser<{ at: Date }>(
      `select max(at) as at from decision where open and release_id = '${await scenario.id()}'`,
    );
    const second = `${iso(opened?.at ?? 0).slice(0, 19)}Z`;
    expect(await statusOf(recording.record(scenario, { deployedAt: second }))).toBe(201);
  });

  it('cannot be that of an ungoverned deployment that GitHub reported', async () => {
    const scenario = recording.scenarioOf('told-of');
    const sha = await scenario.evidencing(VERSION);
    env.clock.advance(MINUTE_MS);
    const { deployments } = scenario.repository;
    const early = deployments.create({ ref: sha, environment: 'production' });
    env.clock.advance(MINUTE_MS);
    scenario.approve(VERSION);
    await env.waitUntilIdle();
    env.clock.advance(MINUTE_MS);
    const underWay = now();
    env.clock.advance(MINUTE_MS);
    deployments.setStatus(early, 'success');
    await env.waitUntilIdle();
    const [ungoverned] = await recording.historyOf('told-of');
    expect(ungoverned).toMatchObject({ kind: 'ungoverned', candidateSha: sha });
    const { deployedAt } = ungoverned as { readonly deployedAt: string };
    env.clock.advance(MINUTE_MS);
    for (const at of [iso(underWay), deployedAt]) {
      const { status, body } = await recording.record(scenario, { deployedAt: at });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('GitHub reported the deployment') }]);
    }
    expect(await statusOf(recording.record(scenario))).toBe(201);
  });

  it('cannot be in a freeze, even without a gate request during the freeze', async () => {
    const day = (days: number): string => iso(now() + days * DAY_MS).slice(0, 10);
    const [frozenDay, later] = [day(2), day(3)];
    const frozen = `${PLAIN_POLICY}freezes: [{ from: ${frozenDay}, to: ${frozenDay}, reason: audit }]\n`;
    const scenarios = [
      recording.scenarioOf('in-a-freeze', frozen),
      recording.scenarioOf('in-a-freeze-of-then', frozen),
    ] as const;
    for (const scenario of scenarios) await scenario.approved(VERSION);
    env.clock.advance(Date.parse(`${later}T12:00:00Z`) - now());
    const by = await scenarios[0].admin('dora');
    // The freeze is removed from the policy.
    scenarios[1].repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    for (const scenario of scenarios) {
      const { status, body } = await recording.record(scenario, { deployedAt: `${frozenDay}T12:00:00Z` }, by);
      expect([status, body]).toEqual([409, { error: expect.stringContaining('A freeze was active') }]);
      expect(await statusOf(recording.record(scenario, {}, by))).toBe(201);
    }
    await recording.comeBack();
  });

  it('must be within the duration of an override, not between two', async () => {
    const scenario = recording.scenarioOf('between-overrides');
    const [eli, fay] = [await scenario.admin('eli'), await scenario.admin('fay')];
    const sha = await scenario.evidencing(VERSION);
    const broken = async (): Promise<number> => {
      await scenario.confirm(fay, 'break-glass', await scenario.requestBreakGlass(eli, sha));
      env.clock.advance(MINUTE_MS);
      return now();
    };
    const refused = async (at: number): Promise<void> => {
      const { status, body } = await recording.record(scenario, { deployedAt: iso(at) });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('gate was closed at deployedAt') }]);
    };
    const first = await broken();
    env.clock.advance(4 * 60 * MINUTE_MS);
    const between = now();
    env.clock.advance(MINUTE_MS);
    const requested = await scenario.requestBreakGlass(eli, sha);
    await scenario.confirm(fay, 'break-glass', requested);
    await scenario.withdraw(fay, 'break-glass', requested);
    env.clock.advance(MINUTE_MS);
    const withdrawn = now();
    env.clock.advance(MINUTE_MS);
    await broken();
    await refused(between);
    await refused(withdrawn);
    const { status, body } = await recording.record(scenario, { deployedAt: iso(first) });
    expect([status, body]).toMatchObject([201, { deployedAt: iso(first), overrides: [{ kind: 'break_glass' }] }]);
  });
});

describe('every decision that shipped a release', () => {
  it('can be replayed with the same result', async () => {
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
