import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { RULES_VERSION } from '../../src/domain/release/replay.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { OverrideScenario } from './scenarios/override-scenario.js';

interface DecisionJson {
  readonly id: string;
  readonly open: boolean;
  readonly stage: string;
  readonly candidateSha: string | null;
  readonly reasons: readonly { readonly code: string }[];
  readonly overrides: readonly { readonly kind: string }[];
}

let env: TestEnvironment;
let scenario: OverrideScenario;
let mia: UserSession;
let base: string;

/** A release whose tests failed, and which was then deployed with break-glass. */
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  scenario = new OverrideScenario(env, 'v1.0.0', { name: 'decided' });
  const [ada, bob] = [await scenario.admin('ada'), await scenario.admin('bob')];
  mia = await signIn(env, env.github.createUser({ login: 'mia' }));
  const sha = await scenario.red();
  await scenario.confirm(bob, 'break-glass', await scenario.requestBreakGlass(ada, sha));
  await scenario.deploy(sha);
  base = `/api/milestones/${await scenario.id()}/decisions`;
});
afterAll(() => env.stop());

const list = async (query = ''): Promise<readonly DecisionJson[]> =>
  (await mia.get(`${base}${query}`)).body['decisions'] as readonly DecisionJson[];

describe('the decisions of a release', () => {
  it('are listed with their reasons, newest first', async () => {
    const decisions = await list();
    expect(decisions.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['DEPLOYED', 'TESTING', 'PLANNING']));
    expect(decisions[0]).toMatchObject({
      stage: 'DEPLOYED',
      open: false,
      reasons: [{ code: 'not_ready' }],
      overrides: [],
    });
    expect(decisions.find(({ open }) => open)).toMatchObject({
      stage: 'TESTING',
      candidateSha: scenario.head(),
      reasons: [],
      overrides: [{ kind: 'break_glass', reason: 'all is down' }],
    });
  });

  it('are returned in pages of the same order, or whole', async () => {
    const whole = await list();
    const page = await mia.get(`${base}?page=1&pageSize=10`);
    expect(page.body).toEqual({
      decisions: whole.slice(0, 10),
      pagination: { page: 1, pageSize: 10, total: whole.length, pages: Math.ceil(whole.length / 10) },
    });
    expect(await list('?page=9')).toEqual([]);
    expect((await mia.get(`${base}?page=0`)).status).toBe(400);
  });

  it('are shown with all their inputs', async () => {
    const id = (await list()).find(({ open }) => open)?.id;
    const { status, body } = await mia.get(`${base}/${String(id)}`);
    expect([status, body]).toMatchObject([
      200,
      {
        id,
        milestoneId: await scenario.id(),
        rules: RULES_VERSION,
        rulesChanged: false,
        open: true,
        policyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        verdict: { stage: 'TESTING', testsPassing: false },
        inputs: {
          record: { version: 'v1.0.0' },
          evidence: [{ kind: 'unit_tests' }],
          observations: expect.arrayContaining([expect.objectContaining({ kind: 'policy' })]),
          overrides: { breakGlasses: [{ requestedBy: { login: 'ada' }, confirmedBy: { login: 'bob' } }] },
          now: expect.any(String),
        },
      },
    ]);
  });

  it('can all be replayed with the same result', async () => {
    for (const { id, stage } of await list()) {
      const { status, body } = await mia.get(`${base}/${id}/replay`);
      expect([status, body]).toMatchObject([200, { agrees: true, differences: [], verdict: { stage } }]);
    }
    const { count: stored, differing } = await replayStoredDecisions(env);
    expect(stored).toBeGreaterThan(3);
    expect(differing).toEqual([]);
  });

  it('are returned whole if they are more than the service reads at once', async () => {
    const many = new OverrideScenario(env, 'v4.0.0', { name: 'often-decided' });
    await many.red();
    const milestoneId = await many.id();
    await env.asSuperuser(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       select org_id, gen_random_uuid(), release_id, at, open, candidate_sha, policy_digest, verdict, inputs
       from decision, generate_series(1, 150) where release_id = '${milestoneId}'`,
    );
    const read = async (query: string): Promise<readonly DecisionJson[]> =>
      (await mia.get(`/api/milestones/${milestoneId}/decisions${query}`)).body['decisions'] as readonly DecisionJson[];
    const whole = await read('');
    expect(whole.length).toBeGreaterThan(400);
    const pages = await Promise.all(
      Array.from({ length: Math.ceil(whole.length / 50) }, (_, at) => read(`?page=${at + 1}&pageSize=50`)),
    );
    expect(whole).toEqual(pages.flat());
  });

  it('are reported as different when their verdict does not follow from their inputs', async () => {
    const id = randomUUID();
    await env.asSuperuser(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       select org_id, '${id}', release_id, at, true, candidate_sha, policy_digest,
         jsonb_set(verdict, '{testsPassing}', 'true'), inputs
       from decision where release_id = '${await scenario.id()}' and verdict ->> 'stage' = 'TESTING' limit 1`,
    );
    const { body } = await mia.get(`${base}/${id}/replay`);
    expect(body).toMatchObject({ agrees: false, differences: ['testsPassing'], verdict: { testsPassing: false } });
  });

  it('of other rules are shown as they were stored, and say that the rules have changed since', async () => {
    const id = randomUUID();
    await env.asSuperuser(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       select org_id, '${id}', release_id, at, open, candidate_sha, policy_digest, verdict,
         jsonb_set(inputs, '{rules}', '"0.0.9"')
       from decision where release_id = '${await scenario.id()}' order by sequence limit 1`,
    );
    const { body } = await mia.get(`${base}/${id}/replay`);
    expect(body).toEqual({ rules: '0.0.9', agrees: null, differences: [], verdict: null });
    expect((await mia.get(`${base}/${id}`)).body).toMatchObject({
      rules: '0.0.9',
      rulesChanged: true,
      inputs: { rules: '0.0.9' },
      stage: expect.any(String),
    });
  });

  it('return 404 to other users, under another release and for unknown ids', async () => {
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const eve = await scenario.admin('eve', elsewhere);
    const [{ id } = { id: '' }] = await list();
    const other = new OverrideScenario(env, 'v2.0.0', { name: 'other' });
    await other.red();
    const wrong = `/api/milestones/${await other.id()}/decisions/${id}`;
    for (const path of [base, `${base}/${id}`, `${base}/${id}/replay`]) expect((await eve.get(path)).status).toBe(404);
    for (const path of [wrong, `${wrong}/replay`, `${base}/${randomUUID()}`, `${base}/no-id`, `${base}/no-id/replay`]) {
      expect((await mia.get(path)).status).toBe(404);
    }
    scenario.repository.changeVisibility('private');
    await env.waitUntilIdle();
    for (const path of [base, `${base}/${id}`, `${base}/${id}/replay`]) expect((await mia.get(path)).status).toBe(404);
  });
});
