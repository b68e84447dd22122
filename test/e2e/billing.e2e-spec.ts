import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/user-session.js';
import type { TestEnvironment } from '../support/test-environment.js';
import { BillingScenario, idOf, REQUESTS, statusesOf, UNKNOWN } from './scenarios/billing-scenario.js';

let env: TestEnvironment;
let scenario: BillingScenario;

beforeAll(async () => {
  env = await BillingScenario.startWorld();
});
afterAll(() => env.stop());
beforeEach(async () => {
  scenario = await BillingScenario.found(env);
});

describe('a workspace', () => {
  it('is on the free plan with a quota of three repositories', async () => {
    expect(await scenario.member.get('/api/billing')).toMatchObject({
      status: 200,
      body: { plan: 'free', managedRepositories: { used: 0, limit: 3 }, request: null },
    });
  });

  it('requests the pro plan through an admin, and every member sees the request', async () => {
    const answer = await scenario.request('  PO 4711  ');
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'open',
      note: 'PO 4711',
      requestedBy: scenario.admin.user.login,
      requestedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      decidedAt: null,
      paymentReference: null,
      reason: null,
    });
    expect(await scenario.billing()).toEqual({
      plan: 'free',
      managedRepositories: { used: 0, limit: 3 },
      storage: { used: 0, limit: 1_073_741_824 },
      request: answer.body,
    });
    expect((await scenario.member.send('POST', REQUESTS, {})).status).toBe(403);
    expect((await scenario.member.send('DELETE', `${REQUESTS}/${idOf(answer)}`)).status).toBe(403);
  });

  it.each([
    ['no body at all', undefined, null],
    ['no note', {}, null],
    ['null', { note: null }, null],
    ['a blank note', { note: ' \n ' }, null],
    ['lines', { note: 'a\nb' }, 'a\nb'],
  ])('can send a request with %s', async (_, body, note) => {
    expect(await scenario.admin.send('POST', REQUESTS, body)).toMatchObject({ status: 201, body: { note } });
  });

  it.each([
    ['a number', { note: 7 }],
    ['a long note', { note: 'x'.repeat(1_001) }],
    ['what no text has', { note: 'a\u0000' }],
    ['a plan', { plan: 'pro' }],
    ['a list', []],
  ])('cannot send a request with %s', async (_, body) => {
    expect((await scenario.admin.send('POST', REQUESTS, body)).status).toBe(400);
    expect(await scenario.billing()).toMatchObject({ request: null });
  });

  it('has at most one open request, however many are sent at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenario.request()));
    expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await scenario.listed()).filter((request) => scenario.isOwn(request))).toHaveLength(1);
    expect(await scenario.audited()).toHaveLength(1);
  });

  it('withdraws an open request once, and can send another', async () => {
    const id = idOf(await scenario.request());
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => scenario.admin.send('DELETE', `${REQUESTS}/${id}`)),
    );
    expect(statusesOf(answers)).toEqual([204, 409, 409, 409, 409]);
    expect(await scenario.billing()).toMatchObject({ request: null });
    expect((await scenario.approve(id)).status).toBe(409);
    expect((await scenario.reject(id)).status).toBe(409);
    const again = await scenario.request();
    expect(again.status).toBe(201);
    expect(await scenario.audited()).toEqual([
      [scenario.admin.user.login, 'plan.upgrade_requested', scenario.organization.login, { requestId: id, note: null }],
      [scenario.admin.user.login, 'plan.request_withdrawn', scenario.organization.login, { requestId: id }],
      [
        scenario.admin.user.login,
        'plan.upgrade_requested',
        scenario.organization.login,
        { requestId: idOf(again), note: null },
      ],
    ]);
  });

  it('can send twenty requests a day, and then has to wait', async () => {
    for (let time = 0; time < 20; time += 1) {
      expect((await scenario.admin.send('DELETE', `${REQUESTS}/${idOf(await scenario.request())}`)).status).toBe(204);
    }
    const refused = await scenario.request();
    expect([refused.status, refused.body]).toEqual([429, { error: expect.stringContaining('20 requests') }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);
    expect(await scenario.billing()).toMatchObject({ request: null });
    env.clock.advance(24 * 3_600_000);
    // By then every session has ended.
    await scenario.comeBack();
    expect((await scenario.request()).status).toBe(201);
  });

  it.each([UNKNOWN, UNKNOWN.toUpperCase(), 'x', '1', `${UNKNOWN}0`])('has no request %s to withdraw', async (id) => {
    expect((await scenario.admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
  });

  it('cannot change the requests of another workspace', async () => {
    const id = idOf(await scenario.request());
    const other = env.github.createOrganization({ login: `other-${scenario.number}` });
    await env.install(other);
    const stranger = await signIn(env, env.github.createUser({ login: `eve-${scenario.number}` }), {
      role: 'admin',
      organization: other,
    });
    expect((await stranger.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
    expect(await scenario.billing(stranger)).toMatchObject({ request: null });
    expect(await scenario.billing()).toMatchObject({ request: { id, status: 'open' } });
  });
});
