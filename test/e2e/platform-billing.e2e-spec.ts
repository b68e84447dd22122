import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

describe('the platform', () => {
  it('is closed to the admins of workspaces', async () => {
    const id = idOf(await scene.ask());
    const path = '/api/platform/upgrade-requests';
    const answers = [
      await scene.admin.get(path),
      await scene.admin.send('POST', `${path}/${id}/approve`, { paymentReference: 'INV-1' }),
      await scene.admin.send('POST', `${path}/${id}/reject`, { reason: 'no' }),
      await scene.admin.send('POST', `/api/platform/workspaces/${scene.organization.login}/downgrade`, {
        reason: 'no',
      }),
    ];
    expect(statusesOf(answers)).toEqual([403, 403, 403, 403]);
    expect(await scene.billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('opens nothing else of a workspace', async () => {
    expect((await scene.operator.get('/api/billing')).status).toBe(403);
    expect((await scene.operator.get('/api/audit')).status).toBe(403);
  });

  it('lists the requests of all workspaces, the newest first, by their status', async () => {
    const first = idOf(await scene.ask('one'));
    await scene.reject(first, { reason: ' unpaid ' });
    world.clock.advance(1_000);
    const second = idOf(await scene.ask('two'));
    const ours = async (query = ''): Promise<readonly unknown[]> =>
      (await scene.listed(query)).filter((request) => scene.isOwn(request)).map(({ id }) => id);
    expect(await ours()).toEqual([second, first]);
    expect(await ours('?status=')).toEqual([second, first]);
    expect(await ours('?status=open')).toEqual([second]);
    expect(await ours('?status=rejected')).toEqual([first]);
    expect(await ours('?status=approved')).toEqual([]);
    expect(await ours('?status=withdrawn')).toEqual([]);
    expect((await scene.listed()).find(({ id }) => id === first)).toEqual({
      id: first,
      org: scene.organization.login,
      status: 'rejected',
      note: 'one',
      requestedBy: scene.admin.user.login,
      requestedAt: expect.any(String),
      decidedAt: expect.any(String),
      paymentReference: null,
      reason: 'unpaid',
    });
  });

  it.each(['?status=closed', '?status=OPEN', '?status=open&status=open', '?status=%20', '?page=0', '?pageSize=7'])(
    'lists nothing for %s',
    async (query) => {
      expect((await scene.operator.get(`/api/platform/upgrade-requests${query}`)).status).toBe(400);
    },
  );

  it('lists them whole or by pages, each once', async () => {
    // More than the service reads at a time, some of them of the same moment.
    await world.asSuperuser(
      `insert into upgrade_request (org_id, id, status, requested_by, requested_at)
       select o.org_id, gen_random_uuid(), 'rejected', 1, '2020-01-01'::timestamptz + n / 3 * interval '1 second'
       from organization o, generate_series(1, 1100) n where o.login = '${scene.organization.login}'`,
    );
    const ids = (requests: readonly Record<string, unknown>[]): readonly unknown[] => requests.map(({ id }) => id);
    const whole = await scene.listed('?status=rejected');
    expect(new Set(ids(whole)).size).toBe(whole.length);
    expect(whole.filter((request) => scene.isOwn(request))).toHaveLength(1_100);
    const second = (await scene.operator.get('/api/platform/upgrade-requests?status=rejected&page=2&pageSize=50')).body;
    expect(ids(second['requests'] as Record<string, unknown>[])).toEqual(ids(whole.slice(50, 100)));
    const pages = Math.ceil(whole.length / 50);
    expect(second['pagination']).toEqual({ page: 2, pageSize: 50, total: whole.length, pages });
    expect(await scene.listed('?status=rejected&page=1000')).toEqual([]);
    expect((await scene.listed('?page=1')).length).toBe(25);
    await world.asSuperuser(`delete from upgrade_request where requested_at < '2021-01-01'`);
  });

  it('approves a request that was paid for: the workspace is on the pro plan at once', async () => {
    const id = idOf(await scene.ask());
    const answer = await scene.approve(id, { paymentReference: ' INV-7 ' });
    expect(answer).toMatchObject({
      status: 200,
      body: { id, org: scene.organization.login, status: 'approved', paymentReference: 'INV-7', reason: null },
    });
    expect(await scene.billing()).toMatchObject({
      plan: 'pro',
      managedRepositories: { used: 0, limit: null },
      request: { id, status: 'approved', decidedAt: expect.any(String), paymentReference: 'INV-7' },
    });
    expect((await scene.ask()).status).toBe(409);
    expect((await scene.admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(409);
    expect((await scene.audited()).at(-1)).toEqual([
      'olga',
      'plan.upgraded',
      scene.organization.login,
      { requestId: id, paymentReference: 'INV-7' },
    ]);
  });

  it('rejects one with a reason that the workspace reads, and may be asked again', async () => {
    const id = idOf(await scene.ask());
    expect(await scene.reject(id, { reason: 'unpaid' })).toMatchObject({ status: 200, body: { status: 'rejected' } });
    expect(await scene.billing()).toMatchObject({
      plan: 'free',
      request: { id, status: 'rejected', reason: 'unpaid' },
    });
    expect((await scene.audited()).at(-1)).toEqual([
      'olga',
      'plan.upgrade_rejected',
      scene.organization.login,
      { requestId: id, reason: 'unpaid' },
    ]);
    expect((await scene.ask()).status).toBe(201);
  });

  it('decides a request once, whoever comes at the same time', async () => {
    const id = idOf(await scene.ask());
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => [
        scene.approve(id),
        scene.reject(id),
        scene.admin.send('DELETE', `${REQUESTS}/${id}`),
      ]).flat(),
    );
    const made = answers.filter(({ status }) => status < 300);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(17);
    expect(await scene.audited()).toHaveLength(2);
    const approved = made[0]?.body['status'] === 'approved';
    expect(await scene.billing()).toMatchObject({ plan: approved ? 'pro' : 'free' });
  });

  it.each([UNKNOWN, 'x', `${UNKNOWN}0`])('has no request %s to decide', async (id) => {
    expect([(await scene.approve(id)).status, (await scene.reject(id)).status]).toEqual([404, 404]);
  });

  it.each([
    ['nothing', {}, {}],
    ['empty words', { paymentReference: '' }, { reason: '' }],
    ['blanks', { paymentReference: ' ' }, { reason: ' \n' }],
    ['two lines, or a number', { paymentReference: 'a\nb' }, { reason: 7 }],
    ['too many words', { paymentReference: 'x'.repeat(201) }, { reason: 'x'.repeat(1_001) }],
    ['more than is asked', { paymentReference: 'INV-1', plan: 'pro' }, { reason: 'no', org: 'acme' }],
  ])('decides nothing for %s', async (_, approval, rejection) => {
    const id = idOf(await scene.ask());
    expect((await scene.approve(id, approval)).status).toBe(400);
    expect((await scene.reject(id, rejection)).status).toBe(400);
    expect((await scene.downgrade(scene.organization.login, rejection)).status).toBe(400);
    expect(await scene.billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('puts a workspace back on the free plan by its login in any case, once', async () => {
    await scene.approve(idOf(await scene.ask()));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => scene.downgrade(scene.organization.login.toUpperCase(), { reason: ' unpaid ' })),
    );
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ org: scene.organization.login, plan: 'free' });
    expect(await scene.billing()).toMatchObject({ plan: 'free', managedRepositories: { limit: 3 } });
    expect((await scene.audited()).at(-1)).toEqual([
      'olga',
      'plan.downgraded',
      scene.organization.login,
      { reason: 'unpaid' },
    ]);
    expect((await scene.ask()).status).toBe(201);
  });

  it('finds no workspace of a login that none has, or more than one', async () => {
    expect((await scene.downgrade('nobody')).status).toBe(404);
    expect((await scene.downgrade('%25')).status).toBe(404);
    await scene.approve(idOf(await scene.ask()));
    const named = (login: string, installation: string): string =>
      `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
       values (gen_random_uuid(), ${900_000 + scene.number}, '${login}', ${installation}, 'pro', now())`;
    // Deleted and made again under its old name: the one that is there now is meant.
    await world.asSuperuser(named(scene.organization.login, 'null'));
    expect((await scene.downgrade(scene.organization.login)).body).toEqual({
      org: scene.organization.login,
      plan: 'free',
    });
    expect(await scene.billing()).toMatchObject({ plan: 'free' });
    await world.asSuperuser(
      `update organization set installation_id = 990000 + ${scene.number} where github_id = 900000 + ${scene.number}`,
    );
    expect((await scene.downgrade(scene.organization.login)).status).toBe(404);
  });
});
