import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { replayStoredDecisions } from '../support/kept-decisions.js';
import { type UserSession, signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { OverrideScene } from './scene/override-scene.js';

interface Told {
  readonly id: string;
  readonly open: boolean;
  readonly stage: string;
  readonly candidateSha: string | null;
  readonly reasons: readonly { readonly code: string }[];
  readonly overrides: readonly { readonly kind: string }[];
}

let world: TestEnvironment;
let scene: OverrideScene;
let mia: UserSession;
let base: string;

/** A release that is red, then deployed through broken glass. */
beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  await world.install();
  scene = new OverrideScene(world, 'v1.0.0', { name: 'decided' });
  const [ada, bob] = [await scene.admin('ada'), await scene.admin('bob')];
  mia = await signIn(world, world.github.createUser({ login: 'mia' }));
  const sha = await scene.red();
  await scene.confirm(bob, 'break-glass', await scene.askToBreakGlass(ada, sha));
  await scene.deploy(sha);
  base = `/api/milestones/${await scene.id()}/decisions`;
});
afterAll(() => world.stop());

const list = async (query = ''): Promise<readonly Told[]> =>
  (await mia.get(`${base}${query}`)).body['decisions'] as readonly Told[];

describe('the decisions of a release', () => {
  it('are told with their reasons, the newest first', async () => {
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
      candidateSha: scene.head(),
      reasons: [],
      overrides: [{ kind: 'break_glass', reason: 'all is down' }],
    });
  });

  it('come in pages of the same order, or whole', async () => {
    const whole = await list();
    const page = await mia.get(`${base}?page=1&pageSize=10`);
    expect(page.body).toEqual({
      decisions: whole.slice(0, 10),
      pagination: { page: 1, pageSize: 10, total: whole.length, pages: Math.ceil(whole.length / 10) },
    });
    expect(await list('?page=9')).toEqual([]);
    expect((await mia.get(`${base}?page=0`)).status).toBe(400);
  });

  it('are shown with all that they rest on', async () => {
    const id = (await list()).find(({ open }) => open)?.id;
    const { status, body } = await mia.get(`${base}/${String(id)}`);
    expect([status, body]).toMatchObject([
      200,
      {
        id,
        milestoneId: await scene.id(),
        open: true,
        policyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        verdict: { stage: 'TESTING', testsPassing: false },
        inputs: {
          record: { version: 'v1.0.0' },
          evidence: [{ kind: 'unit_tests' }],
          observations: expect.arrayContaining([expect.objectContaining({ kind: 'policy' })]),
          acts: { breakGlasses: [{ requestedBy: { login: 'ada' }, confirmedBy: { login: 'bob' } }] },
          now: expect.any(String),
        },
      },
    ]);
  });

  it('follow again from what they rest on, each of them', async () => {
    for (const { id, stage } of await list()) {
      const { status, body } = await mia.get(`${base}/${id}/replay`);
      expect([status, body]).toMatchObject([200, { agrees: true, differences: [], verdict: { stage } }]);
    }
    const { kept, differing } = await replayStoredDecisions(world);
    expect(kept).toBeGreaterThan(3);
    expect(differing).toEqual([]);
  });

  it('are not repeated when only the sentences of conditions changed', async () => {
    const other = new OverrideScene(world, 'v3.0.0', { name: 'in-old-words' });
    await other.red();
    const milestoneId = await other.id();
    const countDecisions = async (): Promise<number> =>
      ((await mia.get(`/api/milestones/${milestoneId}/decisions`)).body['decisions'] as readonly unknown[]).length;
    const before = await countDecisions();
    await world.asSuperuser(`update release set verdict_digest = 'of the first format' where id = '${milestoneId}'`);
    await world.asSuperuser(
      `update decision set inputs = inputs - 'format',
         verdict = regexp_replace(verdict::text, '"detail": "(?:[^"\\\\]|\\\\.)*"', '"detail": "old"', 'g')::jsonb
       where release_id = '${milestoneId}'`,
    );
    await other.gate('v3.0.0', { explain: 'true' });
    expect(await countDecisions()).toBe(before);

    await world.asSuperuser(`update release set verdict_digest = 'of the first format' where id = '${milestoneId}'`);
    await world.asSuperuser(
      `update decision set verdict = replace(verdict::text, '"evidence_failing"', '"another_rule"')::jsonb
       where release_id = '${milestoneId}'`,
    );
    await other.gate('v3.0.0', { explain: 'true' });
    expect(await countDecisions()).toBe(before + 1);
  });

  it('are said not to follow any more where the rules were others', async () => {
    const id = randomUUID();
    await world.asSuperuser(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       select org_id, '${id}', release_id, at, true, candidate_sha, policy_digest,
         jsonb_set(verdict, '{testsPassing}', 'true'), inputs
       from decision where release_id = '${await scene.id()}' and verdict ->> 'stage' = 'TESTING' limit 1`,
    );
    const { body } = await mia.get(`${base}/${id}/replay`);
    expect(body).toMatchObject({ agrees: false, differences: ['testsPassing'], verdict: { testsPassing: false } });
  });

  it('are not there for others, under another release, or where there are none', async () => {
    const elsewhere = world.github.createOrganization({ login: 'elsewhere' });
    await world.install(elsewhere);
    const eve = await scene.admin('eve', elsewhere);
    const [{ id } = { id: '' }] = await list();
    const other = new OverrideScene(world, 'v2.0.0', { name: 'other' });
    await other.red();
    const wrong = `/api/milestones/${await other.id()}/decisions/${id}`;
    for (const path of [base, `${base}/${id}`, `${base}/${id}/replay`]) expect((await eve.get(path)).status).toBe(404);
    for (const path of [wrong, `${wrong}/replay`, `${base}/${randomUUID()}`, `${base}/no-id`, `${base}/no-id/replay`]) {
      expect((await mia.get(path)).status).toBe(404);
    }
    scene.repository.changeVisibility('private');
    await world.settle();
    for (const path of [base, `${base}/${id}`, `${base}/${id}/replay`]) expect((await mia.get(path)).status).toBe(404);
  });
});
