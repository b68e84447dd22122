import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

describe('the platform billing', () => {
  it('is closed to admins of workspaces', async () => {
    const id = idOf(await scenario.request());
    const path = '/api/platform/upgrade-requests';
    const answers = [
      await scenario.admin.get(path),
      await scenario.admin.send('POST', `${path}/${id}/approve`, { paymentReference: 'INV-1' }),
      await scenario.admin.send('POST', `${path}/${id}/reject`, { reason: 'no' }),
      await scenario.admin.send('POST', `/api/platform/workspaces/${scenario.organization.login}/downgrade`, {
        reason: 'no',
      }),
    ];
    expect(statusesOf(answers)).toEqual([403, 403, 403, 403]);
    expect(await scenario.billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('gives access to nothing else of a workspace', async () => {
    expect((await scenario.operator.get('/api/billing')).status).toBe(403);
    expect((await scenario.operator.get('/api/audit')).status).toBe(403);
  });

  it('lists the plan and the usage of workspaces, and nothing else of them', async () => {
    const { login } = scenario.organization;
    const path = `/api/platform/workspaces?search=${login.toUpperCase()}`;
    expect((await scenario.admin.get(path)).status).toBe(403);
    expect((await scenario.operator.get(path)).body).toMatchObject({
      workspaces: expect.arrayContaining([
        {
          org: login,
          plan: 'free',
          managedRepositories: { used: 0, limit: 3 },
          storage: { used: 0, limit: expect.any(Number) },
        },
      ]),
    });
    expect((await scenario.operator.get(`${path}&page=100000`)).body).toMatchObject({ workspaces: [] });
    expect((await scenario.operator.get('/api/platform/workspaces?search=no-such-login')).body).toMatchObject({
      workspaces: [],
      pagination: { page: 1, total: 0 },
    });
  });

  it('lists the requests of all workspaces by status, newest first', async () => {
    const first = idOf(await scenario.request('one'));
    await scenario.reject(first, { reason: ' unpaid ' });
    env.clock.advance(1_000);
    const second = idOf(await scenario.request('two'));
    const ours = async (query = ''): Promise<readonly unknown[]> =>
      (await scenario.listed(query)).filter((request) => scenario.isOwn(request)).map(({ id }) => id);
    expect(await ours()).toEqual([second, first]);
    expect(await ours('?status=')).toEqual([second, first]);
    expect(await ours('?status=open')).toEqual([second]);
    expect(await ours('?status=rejected')).toEqual([first]);
    expect(await ours('?status=approved')).toEqual([]);
    expect(await ours('?status=withdrawn')).toEqual([]);
    expect((await scenario.listed()).find(({ id }) => id === first)).toEqual({
      id: first,
      org: scenario.organization.login,
      status: 'rejected',
      note: 'one',
      requestedBy: scenario.admin.user.login,
      requestedAt: expect.any(String),
      decidedAt: expect.any(String),
      paymentReference: null,
      reason: 'unpaid',
    });
  });

  it.each(['?status=closed', '?status=OPEN', '?status=open&status=open', '?status=%20', '?page=0', '?pageSize=7'])(
    'lists nothing for %s',
    async (query) => {
      expect((await scenario.operator.get(`/api/platform/upgrade-requests${query}`)).status).toBe(400);
    },
  );

  it('lists them whole or in pages, each once', async () => {
    // More than the service reads at once, some of them with the same time.
    await env.asSuperuser(
      `insert into upgrade_request (org_id, id, status, requested_by, requested_at)
       select o.org_id, gen_random_uuid(), 'rejected', 1, '2020-01-01'::timestamptz + n / 3 * interval '1 second'
       from organization o, generate_series(1, 1100) n where o.login = '${scenario.organization.login}'`,
    );
    const ids = (requests: readonly Record<string, unknown>[]): readonly unknown[] => requests.map(({ id }) => id);
    const whole = await scenario.listed('?status=rejected');
    expect(new Set(ids(whole)).size).toBe(whole.length);
    expect(whole.filter((request) => scenario.isOwn(request))).toHaveLength(1_100);
    const second = (await scenario.operator.get('/api/platform/upgrade-requests?status=rejected&page=2&pageSize=50'))
      .body;
    expect(ids(second['requests'] as Record<string, unknown>[])).toEqual(ids(whole.slice(50, 100)));
    const pages = Math.ceil(whole.length / 50);
    expect(second['pagination']).toEqual({ page: 2, pageSize: 50, total: whole.length, pages });
    expect(await scenario.listed('?status=rejected&page=1000')).toEqual([]);
    expect((await scenario.listed('?page=1')).length).toBe(25);
    await env.asSuperuser(`delete from upgrade_request where requested_at < '2021-01-01'`);
  });

  it('approves a paid request, and the workspace is on the pro plan at once', async () => {
    const id = idOf(await scenario.request());
    const answer = await scenario.approve(id, { paymentReference: ' INV-7 ' });
    expect(answer).toMatchObject({
      status: 200,
      body: { id, org: scenario.organization.login, status: 'approved', paymentReference: 'INV-7', reason: null },
    });
    expect(await scenario.billing()).toMatchObject({
      plan: 'pro',
      managedRepositories: { used: 0, limit: null },
      request: { id, status: 'approved', decidedAt: expect.any(String), paymentReference: 'INV-7' },
    });
    expect((await scenario.request()).status).toBe(409);
    expect((await scenario.admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(409);
    expect((await scenario.audited()).at(-1)).toEqual([
      'olga',
      'plan.upgraded',
      scenario.organization.login,
      { requestId: id, paymentReference: 'INV-7' },
    ]);
  });

  it('rejects a request with a reason that the workspace reads, and the workspace can send another', async () => {
    const id = idOf(await scenario.request());
    expect(await scenario.reject(id, { reason: 'unpaid' })).toMatchObject({
      status: 200,
      body: { status: 'rejected' },
    });
    expect(await scenario.billing()).toMatchObject({
      plan: 'free',
      request: { id, status: 'rejected', reason: 'unpaid' },
    });
    expect((await scenario.audited()).at(-1)).toEqual([
      'olga',
      'plan.upgrade_rejected',
      scenario.organization.login,
      { requestId: id, reason: 'unpaid' },
    ]);
    expect((await scenario.request()).status).toBe(201);
  });

  it('decides a request once when several platform admins do it at the same time', async () => {
    const id = idOf(await scenario.request());
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => [
        scenario.approve(id),
        scenario.reject(id),
        scenario.admin.send('DELETE', `${REQUESTS}/${id}`),
      ]).flat(),
    );
    const created = answers.filter(({ status }) => status < 300);
    expect(created).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(17);
    expect(await scenario.audited()).toHaveLength(2);
    const approved = created[0]?.body['status'] === 'approved';
    expect(await scenario.billing()).toMatchObject({ plan: approved ? 'pro' : 'free' });
  });

  it.each([UNKNOWN, 'x', `${UNKNOWN}0`])('has no request %s to decide', async (id) => {
    expect([(await scenario.approve(id)).status, (await scenario.reject(id)).status]).toEqual([404, 404]);
  });

  it.each([
    ['nothing', {}, {}],
    ['empty words', { paymentReference: '' }, { reason: '' }],
    ['blanks', { paymentReference: ' ' }, { reason: ' \n' }],
    ['two lines, or a number', { paymentReference: 'a\nb' }, { reason: 7 }],
    ['too many words', { paymentReference: 'x'.repeat(201) }, { reason: 'x'.repeat(1_001) }],
    ['more than is asked', { paymentReference: 'INV-1', plan: 'pro' }, { reason: 'no', org: 'acme' }],
  ])('decides nothing for %s', async (_, approval, rejection) => {
    const id = idOf(await scenario.request());
    expect((await scenario.approve(id, approval)).status).toBe(400);
    expect((await scenario.reject(id, rejection)).status).toBe(400);
    expect((await scenario.downgrade(scenario.organization.login, rejection)).status).toBe(400);
    expect(await scenario.billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('returns a workspace to the free plan by its login in any letter case, once', async () => {
    await scenario.approve(idOf(await scenario.request()));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        scenario.downgrade(scenario.organization.login.toUpperCase(), { reason: ' unpaid ' }),
      ),
    );
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      org: scenario.organization.login,
      plan: 'free',
    });
    expect(await scenario.billing()).toMatchObject({ plan: 'free', managedRepositories: { limit: 3 } });
    expect((await scenario.audited()).at(-1)).toEqual([
      'olga',
      'plan.downgraded',
      scenario.organization.login,
      { reason: 'unpaid' },
    ]);
    expect((await scenario.request()).status).toBe(201);
  });

  it('finds no workspace by an unknown or ambiguous login', async () => {
    expect((await scenario.downgrade('nobody')).status).toBe(404);
    expect((await scenario.downgrade('%25')).status).toBe(404);
    await scenario.approve(idOf(await scenario.request()));
    const named = (login: string, installation: string): string =>
      `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
       values (gen_random_uuid(), ${900_000 + scenario.number}, '${login}', ${installation}, 'pro', now())`;
    // A deleted workspace with the same login. The downgrade must change the present one.
    await env.asSuperuser(named(scenario.organization.login, 'null'));
    expect((await scenario.downgrade(scenario.organization.login)).body).toEqual({
      org: scenario.organization.login,
      plan: 'free',
    });
    expect(await scenario.billing()).toMatchObject({ plan: 'free' });
    await env.asSuperuser(
      `update organization set installation_id = 990000 + ${scenario.number} where github_id = 900000 + ${scenario.number}`,
    );
    expect((await scenario.downgrade(scenario.organization.login)).status).toBe(404);
  });
});
