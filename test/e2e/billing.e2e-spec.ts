import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/signed-in.js';
import type { TestEnvironment } from '../support/world.js';
import { BillingScene, idOf, REQUESTS, statusesOf, UNKNOWN } from './scene/billing-scene.js';

let world: TestEnvironment;
let scene: BillingScene;

beforeAll(async () => {
  world = await BillingScene.startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  scene = await BillingScene.found(world);
});

describe('a workspace', () => {
  it('is on the free plan, with room for three repositories', async () => {
    expect(await scene.member.get('/api/billing')).toMatchObject({
      status: 200,
      body: { plan: 'free', managedRepositories: { used: 0, limit: 3 }, request: null },
    });
  });

  it('asks for the pro plan by an admin, and every member sees the request', async () => {
    const answer = await scene.ask('  PO 4711  ');
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'open',
      note: 'PO 4711',
      requestedBy: scene.admin.user.login,
      requestedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      decidedAt: null,
      paymentReference: null,
      reason: null,
    });
    expect(await scene.billing()).toEqual({
      plan: 'free',
      managedRepositories: { used: 0, limit: 3 },
      storage: { used: 0, limit: 1_073_741_824 },
      request: answer.body,
    });
    expect((await scene.member.send('POST', REQUESTS, {})).status).toBe(403);
    expect((await scene.member.send('DELETE', `${REQUESTS}/${idOf(answer)}`)).status).toBe(403);
  });

  it.each([
    ['no body at all', undefined, null],
    ['no note', {}, null],
    ['null', { note: null }, null],
    ['a blank note', { note: ' \n ' }, null],
    ['lines', { note: 'a\nb' }, 'a\nb'],
  ])('may ask with %s', async (_, body, note) => {
    expect(await scene.admin.send('POST', REQUESTS, body)).toMatchObject({ status: 201, body: { note } });
  });

  it.each([
    ['a number', { note: 7 }],
    ['a long note', { note: 'x'.repeat(1_001) }],
    ['what no text has', { note: 'a\u0000' }],
    ['a plan', { plan: 'pro' }],
    ['a list', []],
  ])('may not ask with %s', async (_, body) => {
    expect((await scene.admin.send('POST', REQUESTS, body)).status).toBe(400);
    expect(await scene.billing()).toMatchObject({ request: null });
  });

  it('has one open request at most, however many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.ask()));
    expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await scene.listed()).filter((request) => scene.isOwn(request))).toHaveLength(1);
    expect(await scene.audited()).toHaveLength(1);
  });

  it('takes an open request back, once, and may ask again', async () => {
    const id = idOf(await scene.ask());
    const answers = await Promise.all(Array.from({ length: 5 }, () => scene.admin.send('DELETE', `${REQUESTS}/${id}`)));
    expect(statusesOf(answers)).toEqual([204, 409, 409, 409, 409]);
    expect(await scene.billing()).toMatchObject({ request: null });
    expect((await scene.approve(id)).status).toBe(409);
    expect((await scene.reject(id)).status).toBe(409);
    const again = await scene.ask();
    expect(again.status).toBe(201);
    expect(await scene.audited()).toEqual([
      [scene.admin.user.login, 'plan.upgrade_requested', scene.organization.login, { requestId: id, note: null }],
      [scene.admin.user.login, 'plan.request_withdrawn', scene.organization.login, { requestId: id }],
      [
        scene.admin.user.login,
        'plan.upgrade_requested',
        scene.organization.login,
        { requestId: idOf(again), note: null },
      ],
    ]);
  });

  it('may ask twenty times a day, and then has to wait', async () => {
    for (let time = 0; time < 20; time += 1) {
      expect((await scene.admin.send('DELETE', `${REQUESTS}/${idOf(await scene.ask())}`)).status).toBe(204);
    }
    const refused = await scene.ask();
    expect([refused.status, refused.body]).toEqual([429, { error: expect.stringContaining('20 requests') }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);
    expect(await scene.billing()).toMatchObject({ request: null });
    world.clock.advance(24 * 3_600_000);
    // By then every session has ended.
    await scene.comeBack();
    expect((await scene.ask()).status).toBe(201);
  });

  it.each([UNKNOWN, UNKNOWN.toUpperCase(), 'x', '1', `${UNKNOWN}0`])('has no request %s to take back', async (id) => {
    expect((await scene.admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
  });

  it('has no hand in the requests of another', async () => {
    const id = idOf(await scene.ask());
    const other = world.github.createOrganization({ login: `other-${scene.number}` });
    await world.install(other);
    const stranger = await signIn(world, world.github.createUser({ login: `eve-${scene.number}` }), {
      role: 'admin',
      organization: other,
    });
    expect((await stranger.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
    expect(await scene.billing(stranger)).toMatchObject({ request: null });
    expect(await scene.billing()).toMatchObject({ request: { id, status: 'open' } });
  });
});
