import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { replayStoredDecisions } from '../support/kept-decisions.js';
import type { UserSession } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { auditOf } from './scene/members.js';
import { OverrideScene } from './scene/override-scene.js';
import { TwoAdminScenario } from './scene/two-admins.js';

const HOUR_MS = 3_600_000;
const KINDS = ['waivers', 'break-glass'] as const;
type Kind = (typeof KINDS)[number];

let world: TestEnvironment;
let people: TwoAdminScenario;
let scene: OverrideScene;
let sha: string;
let ada: UserSession;
let bob: UserSession;
let mia: UserSession;

beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  await world.install();
  people = await TwoAdminScenario.of(world);
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations).toEqual([]));

/** A release of its own for whoever asks. */
async function begin(): Promise<void> {
  ({ ada, bob, mia, scene, sha } = await people.begin());
}

const statusOf = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;
const path = async (kind: Kind): Promise<string> => `/api/milestones/${await scene.id()}/${kind}`;
const ask = (kind: Kind, by = ada) => (kind === 'waivers' ? scene.askForWaiver(by) : scene.askToBreakGlass(by, sha));
/** Whether what was asked for has come into force. */
const confirmed = async (kind: Kind): Promise<boolean> => {
  const { body } = await ada.get(await path(kind));
  const list = (body[kind === 'waivers' ? 'waivers' : 'breakGlass'] ?? []) as readonly { confirmedBy: unknown }[];
  return list.some(({ confirmedBy }) => confirmedBy !== null);
};

describe.each(KINDS)('of two people, %s', (kind) => {
  let named: string;
  beforeEach(async () => {
    await begin();
    named = `${kind}-${people.begun}`;
  });

  it('is not confirmed by who asked for it, in another session or under another name', async () => {
    const asked = await ask(kind);
    ada.user.login = `${ada.user.login}-renamed`;
    const elsewhere = await people.setRole(ada, 'admin');
    expect(await statusOf(scene.confirm(ada, kind, asked))).toBe(403);
    expect(await statusOf(scene.confirm(elsewhere, kind, asked))).toBe(403);
    expect(await confirmed(kind)).toBe(false);
  });

  it('is nothing for members', async () => {
    expect(await statusOf(ask(kind, mia))).toBe(403);
    const asked = await ask(kind);
    expect([await statusOf(scene.confirm(mia, kind, asked)), await statusOf(scene.withdraw(mia, kind, asked))]).toEqual(
      [403, 403],
    );
    expect(await statusOf(mia.get(await path(kind)))).toBe(200);
    expect(await confirmed(kind)).toBe(false);
  });

  it('is confirmed once', async () => {
    const asked = await ask(kind);
    const cleo = await scene.admin(`cleo-${named}`);
    const answers = await Promise.all([
      statusOf(scene.confirm(bob, kind, asked)),
      statusOf(scene.confirm(cleo, kind, asked)),
    ]);
    expect(answers.toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect(await statusOf(scene.confirm(bob, kind, asked))).toBe(409);
  });

  it('is not confirmed once it is over, or was withdrawn', async () => {
    const late = await ask(kind);
    world.clock.advance(7 * HOUR_MS);
    expect(await statusOf(scene.confirm(bob, kind, late))).toBe(404);
    const withdrawn = await ask(kind);
    expect(await statusOf(scene.withdraw(bob, kind, withdrawn))).toBe(204);
    expect(await statusOf(scene.confirm(bob, kind, withdrawn))).toBe(404);
    expect(await statusOf(scene.withdraw(bob, kind, withdrawn))).toBe(404);
    expect(await confirmed(kind)).toBe(false);
  });

  it('needs somebody who is an admin still, to ask and to confirm', async () => {
    const asked = await ask(kind);
    await people.setRole(ada, 'member');
    expect(await statusOf(scene.confirm(bob, kind, asked))).toBe(409);
    await people.setRole(ada, 'admin');
    await people.setRole(bob, 'member');
    expect(await statusOf(scene.confirm(bob, kind, asked))).toBe(403);
    await people.setRole(bob, 'admin');
    expect(await statusOf(scene.confirm(bob, kind, asked))).toBe(200);
    await people.setRole(ada, 'member');
    await people.setRole(bob, 'member');
    expect(await scene.gate('v1.0.0')).toMatchObject({ overrides: [{ id: asked.body['id'] }] });
  });

  it('ends at once where it is withdrawn, whoever confirms it meanwhile', async () => {
    const asked = await ask(kind);
    await Promise.all([scene.confirm(bob, kind, asked), scene.withdraw(ada, kind, asked)]);
    expect(await confirmed(kind)).toBe(false);
    expect(await scene.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false, overrides: [] });
    const again = await ask(kind);
    await scene.confirm(bob, kind, again);
    await scene.withdraw(bob, kind, again);
    const hot = await scene.run(sha).gate('v1.0.0', { explain: 'false' });
    expect(hot).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
  });

  it('is not there for another workspace, nor under another release, nor of what is no id', async () => {
    const asked = await ask(kind);
    const id = String(asked.body['id']);
    const elsewhere = world.github.createOrganization({ login: `elsewhere-${named}` });
    await world.install(elsewhere);
    const eve = await scene.admin(`eve-${named}`, elsewhere);
    const base = await path(kind);
    expect(await statusOf(eve.get(base))).toBe(404);
    expect(await statusOf(ask(kind, eve))).toBe(404);
    expect(await statusOf(eve.send('POST', `${base}/${id}/confirm`))).toBe(404);
    expect(await statusOf(eve.send('DELETE', `${base}/${id}`))).toBe(404);
    const other = new OverrideScene(world, 'v3.0.0', { name: `other-${named}` });
    await other.red();
    expect(await statusOf(other.confirm(bob, kind, asked))).toBe(404);
    for (const none of [randomUUID(), 'no-id', '1%00']) {
      expect(await statusOf(bob.send('POST', `${base}/${none}/confirm`))).toBeGreaterThanOrEqual(400);
      expect(await statusOf(bob.get(`/api/milestones/${none}/${kind}`))).toBeGreaterThanOrEqual(400);
    }
    expect(await confirmed(kind)).toBe(false);
  });

  it('is hidden with a private repository from who may not read it', async () => {
    const asked = await ask(kind);
    scene.repository.changeVisibility('private');
    await world.settle();
    const base = await path(kind);
    expect(await statusOf(mia.get(base))).toBe(404);
    expect(await statusOf(bob.send('POST', `${base}/${String(asked.body['id'])}/confirm`))).toBe(404);
  });

  it('is in the audit log, step by step', async () => {
    const asked = await ask(kind);
    await scene.confirm(bob, kind, asked);
    await scene.withdraw(ada, kind, asked);
    const name = kind === 'waivers' ? 'waiver' : 'break_glass';
    expect((await auditOf(world, await world.orgId())).slice(-3)).toEqual(
      ['requested', 'confirmed', 'withdrawn'].map((step) => `${name}.${step} v1.0.0`),
    );
  });
});

describe('what was decided about all of this', () => {
  it('follows again from what it rested on', async () => {
    const { kept, differing } = await replayStoredDecisions(world);
    expect(kept).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });
});
