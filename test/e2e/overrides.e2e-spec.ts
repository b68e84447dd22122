import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { OverrideScenario } from './scenarios/override-scenario.js';
import { codesOf } from './scenarios/repository-scenario.js';
import { TwoAdminScenario } from './scenarios/two-admin-scenario.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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
const path = async (kind: 'waivers' | 'break-glass'): Promise<string> =>
  `/api/milestones/${await scenario.id()}/${kind}`;

describe('a request for a waiver', () => {
  beforeAll(begin);

  it.each([
    ['tampered', 422],
    ['policy_invalid', 422],
    ['unknown', 422],
    ['facts_stale', 422],
    ['evidence_missing', 422],
    ['approvals_missing', 422],
    ['plan_limit', 422],
    ['check_failing', 409],
    ['anything', 400],
    ["evidence_failing'; drop table waiver; --", 400],
    ['__proto__', 400],
    ['x'.repeat(101), 400],
    [['evidence_failing'], 400],
  ])('of %j is rejected with %d', async (condition, status) => {
    expect(await statusOf(scenario.requestWaiver(ada, { condition }))).toBe(status);
  });

  it.each([
    [{ expiresAt: '2026-05-04' }],
    [{ expiresAt: '2026-05-05T10:00:00' }],
    [{ expiresAt: '2020-01-01T00:00:00Z' }],
    [{ expiresAt: '2099-01-01T00:00:00Z' }],
    [{ expiresAt: undefined }],
    [{ reason: '' }],
    [{ reason: undefined }],
    [{ reason: 'two\nlines' }],
    [{ confirmedBy: 'bob' }],
  ])('is rejected with %j', async (changes) => {
    expect(await statusOf(scenario.requestWaiver(ada, changes))).toBe(400);
  });

  it('lasts seven days at most', async () => {
    const in7Days = env.clock.now().getTime() + 7 * 24 * HOUR_MS;
    expect(
      await statusOf(scenario.requestWaiver(ada, { expiresAt: new Date(in7Days + MINUTE_MS).toISOString() })),
    ).toBe(400);
    expect(await statusOf(scenario.requestWaiver(ada, { expiresAt: new Date(in7Days).toISOString() }))).toBe(201);
  });
});

describe('a waiver', () => {
  beforeEach(begin);

  it('lets the release continue after a second admin confirms it, and the tests remain failed', async () => {
    const requested = await scenario.requestWaiver(ada);
    expect([requested.status, requested.body]).toEqual([
      201,
      {
        id: expect.any(String),
        condition: 'evidence_failing',
        subjects: [
          { id: expect.any(String), label: 'the test "s › c › t0" in "unit_tests" of "build" (ci)', count: 1 },
        ],
        details: [expect.stringContaining('fails')],
        candidateSha: sha,
        reason: 'a known flaky test',
        requestedAt: expect.any(String),
        requestedBy: ada.user.login,
        requestedById: ada.user.id,
        confirmedBy: null,
        confirmedById: null,
        expiresAt: expect.any(String),
      },
    ]);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
    const answer = await scenario.confirm(bob, 'waivers', requested);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...requested.body, confirmedBy: bob.user.login, confirmedById: bob.user.id },
    ]);
    await env.waitUntilIdle();
    expect(await scenario.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', tests_passing: false });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    const gate = await scenario.gate('v1.0.0', { sha });
    expect(gate).toMatchObject({ current_stage: 'DEPLOYMENT', tests_passing: false, can_deploy: true, reasons: [] });
    expect(gate).toMatchObject({
      overrides: [{ kind: 'waiver', id: requested.body['id'], conditions: [{ code: 'evidence_failing' }] }],
    });
    expect((await mia.get(await path('waivers'))).body).toEqual({ waivers: [answer.body] });
  });

  it('ends after its hours, and with another candidate', async () => {
    const expiresAt = new Date(env.clock.now().getTime() + HOUR_MS).toISOString();
    await scenario.confirm(bob, 'waivers', await scenario.requestWaiver(ada, { expiresAt }));
    await env.waitUntilIdle();
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    env.clock.advance(HOUR_MS - 2 * MINUTE_MS);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    env.clock.advance(3 * MINUTE_MS);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
    expect(await statusOf(scenario.confirm(bob, 'waivers', await scenario.requestWaiver(ada)))).toBe(200);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    const next = scenario.commit();
    await env.waitUntilIdle();
    expect((await scenario.run(next).uploadTests('v1.0.0', 3, 1)).status).toBe(201);
    await env.waitUntilIdle();
    const gate = await scenario.gate('v1.0.0', { sha: next });
    expect([gate.current_stage, gate.can_deploy, gate.candidate_sha]).toEqual(['TESTING', false, next]);
    expect(await scenario.gate('v1.0.0', { sha })).toMatchObject({ can_deploy: false });
  });

  it('covers the failures that existed, and no later failure', async () => {
    await scenario.confirm(bob, 'waivers', await scenario.requestWaiver(ada));
    expect((await scenario.run(sha).uploadTests('v1.0.0', 9, 5)).status).toBe(201);
    await env.waitUntilIdle();
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['evidence_failing']);
  });

  it('of a freeze lets this release be deployed, ships it, and appears in its history', async () => {
    const open = new OverrideScenario(env, 'v2.0.0', { name: 'open' });
    const candidate = await open.approved('v2.0.0');
    const day = env.clock.now().toISOString().slice(0, 10);
    const { body } = await ada.send('POST', '/api/freezes', { from: day, to: '2999-12-31', reason: 'launch' });
    const requested = await open.requestWaiver(ada, { condition: 'freeze' });
    expect(await statusOf(open.confirm(bob, 'waivers', requested))).toBe(200);
    expect(await open.gate('v2.0.0')).toMatchObject({ can_deploy: true, reasons: [] });
    await open.deploy(candidate);
    const history = await env.asSuperuser<{ kind: string; overrides: readonly object[] }>(
      `select kind, overrides from deployment_record h join release r on r.id = h.release_id where r.id = '${await open.id()}'`,
    );
    expect(history).toMatchObject([
      {
        kind: 'release',
        overrides: [{ kind: 'waiver', id: requested.body['id'], requestedBy: { login: ada.user.login } }],
      },
    ]);
    expect(codesOf(await open.gate('v2.0.0'))).toEqual(['freeze']);
    expect(await statusOf(open.requestWaiver(ada, { condition: 'freeze' }))).toBe(409);
    await ada.send('DELETE', `/api/freezes/${String(body['id'])}`);
    expect(await open.gate('v2.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
  });

  it('that let a release ship leaves its gate open for a rollback', async () => {
    await scenario.confirm(bob, 'waivers', await scenario.requestWaiver(ada));
    await env.waitUntilIdle();
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    await scenario.gate('v1.0.0');
    await scenario.deploy(sha);
    env.clock.advance(48 * HOUR_MS);
    expect(await scenario.gate('v1.0.0')).toMatchObject({
      current_stage: 'DEPLOYED',
      tests_passing: false,
      can_deploy: true,
    });
  });
});

describe('break-glass', () => {
  beforeEach(begin);

  it('opens the gate for the candidate, for four hours from the confirmation', async () => {
    const requested = await scenario.requestBreakGlass(ada, sha);
    const requestedAt = Date.parse(String(requested.body['requestedAt']));
    expect(Math.abs(requestedAt - env.clock.now().getTime())).toBeLessThan(MINUTE_MS);
    expect([requested.status, requested.body]).toMatchObject([
      201,
      { sha, requestedBy: ada.user.login, requestedById: ada.user.id, confirmedBy: null, confirmedById: null },
    ]);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    env.clock.advance(HOUR_MS);
    const answer = await bob.send('POST', `${await path('break-glass')}/confirm`);
    const until = env.clock.now().getTime() + 4 * HOUR_MS;
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...requested.body,
        confirmedBy: bob.user.login,
        confirmedById: bob.user.id,
        expiresAt: expect.any(String),
      },
    ]);
    expect(Math.abs(Date.parse(String(answer.body['expiresAt'])) - until)).toBeLessThan(MINUTE_MS);
    const gate = await scenario.gate('v1.0.0', { sha });
    expect(gate).toMatchObject({
      current_stage: 'TESTING',
      tests_passing: false,
      evidence_pr_approved: false,
      can_deploy: true,
      reasons: [],
      overrides: [{ kind: 'break_glass', id: requested.body['id'], reason: 'all is down' }],
    });
    const other = scenario.commit({ branch: 'other' });
    expect(await scenario.gate('v1.0.0', { sha: other })).toMatchObject({ can_deploy: false });
    env.clock.advance(4 * HOUR_MS - 2 * MINUTE_MS);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    env.clock.advance(3 * MINUTE_MS);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: false });
  });

  it('applies only to the candidate, and ends with another one', async () => {
    const other = scenario.commit({ branch: 'other' });
    expect(await statusOf(scenario.requestBreakGlass(ada, other))).toBe(409);
    expect(await statusOf(scenario.requestBreakGlass(ada, 'HEAD'))).toBe(400);
    await scenario.confirm(bob, 'break-glass', await scenario.requestBreakGlass(ada, sha));
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    const waits = await scenario.requestBreakGlass(ada, sha);
    const next = scenario.commit();
    await env.waitUntilIdle();
    await scenario.run(next).uploadTests('v1.0.0', 3, 1);
    await env.waitUntilIdle();
    for (const requested of [sha, next])
      expect(await scenario.gate('v1.0.0', { sha: requested })).toMatchObject({ can_deploy: false });
    expect(await statusOf(scenario.confirm(bob, 'break-glass', waits))).toBe(409);
  });

  it('ships what is deployed with it, appears in the history, and then has no effect', async () => {
    const requested = await scenario.requestBreakGlass(ada, sha);
    await scenario.confirm(bob, 'break-glass', requested);
    const unused = await scenario.requestBreakGlass(ada, sha);
    await scenario.deploy(sha);
    const history = await env.asSuperuser<{ kind: string; overrides: readonly object[] }>(
      `select kind, overrides from deployment_record where release_id = '${await scenario.id()}'`,
    );
    expect(history).toMatchObject([
      {
        kind: 'release',
        overrides: [{ kind: 'break_glass', id: requested.body['id'], confirmedBy: { login: bob.user.login } }],
      },
    ]);
    expect(await scenario.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: false });
    expect(await statusOf(scenario.confirm(bob, 'break-glass', unused))).toBe(409);
    expect(await statusOf(scenario.requestBreakGlass(ada, sha))).toBe(409);
  });

  it('ships nothing that is deployed after its end, without an evaluation in between', async () => {
    await scenario.confirm(bob, 'break-glass', await scenario.requestBreakGlass(ada, sha));
    env.clock.advance(4 * HOUR_MS);
    await scenario.deploy(sha);
    const history = await env.asSuperuser(`select kind from deployment_record h
      join repository p on p.id = h.repository_id where p.github_id = ${scenario.repository.id}`);
    expect(history).toEqual([{ kind: 'ungoverned' }]);
  });

  it('does not open the gate after tampering with a workflow', async () => {
    await scenario.confirm(bob, 'break-glass', await scenario.requestBreakGlass(ada, sha));
    const release = `from release where id = '${await scenario.id()}'`;
    await env.asSuperuser(
      `insert into watched_branch (org_id, repository_id, branch, trunk, head_sha, paths, intact_heads, looked_at)
       select org_id, repository_id, 'main', true, '${sha}', '{}'::text[], '{}'::text[], now() ${release}
       on conflict do nothing`,
    );
    await env.asSuperuser(
      `insert into tampered_file (org_id, repository_id, branch, path, since)
       select org_id, repository_id, 'main', 'x', now() ${release}`,
    );
    expect(codesOf(await scenario.gate('v1.0.0'))).toContain('tampered');
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: false });
  });

  it('is confirmed by its id when several requests are pending', async () => {
    expect(await statusOf(bob.send('POST', `${await path('break-glass')}/confirm`))).toBe(404);
    const [first] = [await scenario.requestBreakGlass(ada, sha), await scenario.requestBreakGlass(ada, sha)];
    expect(await statusOf(bob.send('POST', `${await path('break-glass')}/confirm`))).toBe(409);
    expect(await statusOf(scenario.confirm(bob, 'break-glass', first))).toBe(200);
  });
});

describe('every decision of these tests', () => {
  it('can be replayed with the same result', async () => {
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
