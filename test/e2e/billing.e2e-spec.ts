import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { type JsonAnswer, type SignedIn, signedIn } from '../support/signed-in.js';
import { World } from '../support/world.js';

// Below every id that the simulated GitHub gives, so that it can be configured before anybody has one.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;
const REQUESTS = '/api/billing/upgrade-requests';
const UNKNOWN = '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b';

let world: World;
let operator: SignedIn;
let organization: Organization;
let admin: SignedIn;
let member: SignedIn;
let nth = 0;

beforeAll(async () => {
  world = await World.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
  operator = await signedIn(world, OPERATOR, { role: null });
});
afterAll(() => world.stop());

/** Every test has a workspace of its own. */
beforeEach(async () => {
  nth += 1;
  organization = world.github.createOrganization({ login: `Orga-${nth}` });
  await world.install(organization);
  [admin, member] = await Promise.all([
    signedIn(world, world.github.createUser({ login: `ada-${nth}` }), { role: 'admin', organization }),
    signedIn(world, world.github.createUser({ login: `mel-${nth}` }), { organization }),
  ]);
});

const idOf = ({ body }: JsonAnswer): string => String(body['id']);
const ask = (note?: string): Promise<JsonAnswer> => admin.send('POST', REQUESTS, note === undefined ? {} : { note });
const billing = async (of = member): Promise<object> => (await of.get('/api/billing')).body;
const approve = (id: string, body: object = { paymentReference: 'INV-1' }): Promise<JsonAnswer> =>
  operator.send('POST', `/api/platform/upgrade-requests/${id}/approve`, body);
const reject = (id: string, body: object = { reason: 'not paid' }): Promise<JsonAnswer> =>
  operator.send('POST', `/api/platform/upgrade-requests/${id}/reject`, body);
const downgrade = (org: string, body: object = { reason: 'payment returned' }): Promise<JsonAnswer> =>
  operator.send('POST', `/api/platform/workspaces/${org}/downgrade`, body);
const listed = async (query = ''): Promise<readonly Record<string, unknown>[]> =>
  (await operator.get(`/api/platform/upgrade-requests${query}`)).body['requests'] as Record<string, unknown>[];
const ofThisWorkspace = ({ org }: Record<string, unknown>): boolean => org === organization.login;
const statusesOf = (answers: readonly JsonAnswer[]): number[] =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

/** What the audit log tells, the oldest first. */
async function audited(): Promise<readonly object[]> {
  const entries = (await admin.get('/api/audit')).body['entries'] as Record<string, unknown>[];
  return entries
    .toReversed()
    .map(({ actor, action, subject, data }) => [(actor as { login: string }).login, action, subject, data]);
}

describe('a workspace', () => {
  it('is on the free plan, with room for three repositories', async () => {
    expect(await member.get('/api/billing')).toMatchObject({
      status: 200,
      body: { plan: 'free', managedRepositories: { used: 0, limit: 3 }, request: null },
    });
  });

  it('asks for the pro plan by an admin, and every member sees the request', async () => {
    const answer = await ask('  PO 4711  ');
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'open',
      note: 'PO 4711',
      requestedBy: admin.user.login,
      requestedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      decidedAt: null,
      paymentReference: null,
      reason: null,
    });
    expect(await billing()).toEqual({
      plan: 'free',
      managedRepositories: { used: 0, limit: 3 },
      request: answer.body,
    });
    expect((await member.send('POST', REQUESTS, {})).status).toBe(403);
    expect((await member.send('DELETE', `${REQUESTS}/${idOf(answer)}`)).status).toBe(403);
  });

  it.each([
    ['no body at all', undefined, null],
    ['no note', {}, null],
    ['null', { note: null }, null],
    ['a blank note', { note: ' \n ' }, null],
    ['lines', { note: 'a\nb' }, 'a\nb'],
  ])('may ask with %s', async (_, body, note) => {
    expect(await admin.send('POST', REQUESTS, body)).toMatchObject({ status: 201, body: { note } });
  });

  it.each([
    ['a number', { note: 7 }],
    ['a long note', { note: 'x'.repeat(1_001) }],
    ['what no text has', { note: 'a\u0000' }],
    ['a plan', { plan: 'pro' }],
    ['a list', []],
  ])('may not ask with %s', async (_, body) => {
    expect((await admin.send('POST', REQUESTS, body)).status).toBe(400);
    expect(await billing()).toMatchObject({ request: null });
  });

  it('has one open request at most, however many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await listed()).filter(ofThisWorkspace)).toHaveLength(1);
    expect(await audited()).toHaveLength(1);
  });

  it('takes an open request back, once, and may ask again', async () => {
    const id = idOf(await ask());
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.send('DELETE', `${REQUESTS}/${id}`)));
    expect(statusesOf(answers)).toEqual([204, 409, 409, 409, 409]);
    expect(await billing()).toMatchObject({ request: null });
    expect((await approve(id)).status).toBe(409);
    expect((await reject(id)).status).toBe(409);
    const again = await ask();
    expect(again.status).toBe(201);
    expect(await audited()).toEqual([
      [admin.user.login, 'plan.upgrade_requested', organization.login, { requestId: id, note: null }],
      [admin.user.login, 'plan.request_withdrawn', organization.login, { requestId: id }],
      [admin.user.login, 'plan.upgrade_requested', organization.login, { requestId: idOf(again), note: null }],
    ]);
  });

  it('may ask twenty times a day, and then has to wait', async () => {
    for (let time = 0; time < 20; time += 1) {
      expect((await admin.send('DELETE', `${REQUESTS}/${idOf(await ask())}`)).status).toBe(204);
    }
    const refused = await ask();
    expect([refused.status, refused.body]).toEqual([429, { error: expect.stringContaining('20 requests') }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);
    expect(await billing()).toMatchObject({ request: null });
    world.clock.advance(24 * 3_600_000);
    // By then every session has ended.
    operator = await signedIn(world, OPERATOR, { role: null });
    admin = await signedIn(world, admin.user, { role: 'admin', organization });
    expect((await ask()).status).toBe(201);
  });

  it.each([UNKNOWN, UNKNOWN.toUpperCase(), 'x', '1', `${UNKNOWN}0`])('has no request %s to take back', async (id) => {
    expect((await admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
  });

  it('has no hand in the requests of another', async () => {
    const id = idOf(await ask());
    const other = world.github.createOrganization({ login: `other-${nth}` });
    await world.install(other);
    const stranger = await signedIn(world, world.github.createUser({ login: `eve-${nth}` }), {
      role: 'admin',
      organization: other,
    });
    expect((await stranger.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(404);
    expect(await billing(stranger)).toMatchObject({ request: null });
    expect(await billing()).toMatchObject({ request: { id, status: 'open' } });
  });
});

describe('the platform', () => {
  it('is closed to the admins of workspaces', async () => {
    const id = idOf(await ask());
    const path = '/api/platform/upgrade-requests';
    const answers = [
      await admin.get(path),
      await admin.send('POST', `${path}/${id}/approve`, { paymentReference: 'INV-1' }),
      await admin.send('POST', `${path}/${id}/reject`, { reason: 'no' }),
      await admin.send('POST', `/api/platform/workspaces/${organization.login}/downgrade`, { reason: 'no' }),
    ];
    expect(statusesOf(answers)).toEqual([403, 403, 403, 403]);
    expect(await billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('opens nothing else of a workspace', async () => {
    expect((await operator.get('/api/billing')).status).toBe(403);
    expect((await operator.get('/api/audit')).status).toBe(403);
  });

  it('lists the requests of all workspaces, the newest first, by their status', async () => {
    const first = idOf(await ask('one'));
    await reject(first, { reason: ' unpaid ' });
    world.clock.advance(1_000);
    const second = idOf(await ask('two'));
    const ours = async (query = ''): Promise<readonly unknown[]> =>
      (await listed(query)).filter(ofThisWorkspace).map(({ id }) => id);
    expect(await ours()).toEqual([second, first]);
    expect(await ours('?status=')).toEqual([second, first]);
    expect(await ours('?status=open')).toEqual([second]);
    expect(await ours('?status=rejected')).toEqual([first]);
    expect(await ours('?status=approved')).toEqual([]);
    expect(await ours('?status=withdrawn')).toEqual([]);
    expect((await listed()).find(({ id }) => id === first)).toEqual({
      id: first,
      org: organization.login,
      status: 'rejected',
      note: 'one',
      requestedBy: admin.user.login,
      requestedAt: expect.any(String),
      decidedAt: expect.any(String),
      paymentReference: null,
      reason: 'unpaid',
    });
  });

  it.each(['?status=closed', '?status=OPEN', '?status=open&status=open', '?status=%20', '?page=0', '?pageSize=7'])(
    'lists nothing for %s',
    async (query) => {
      expect((await operator.get(`/api/platform/upgrade-requests${query}`)).status).toBe(400);
    },
  );

  it('lists them whole or by pages, each once', async () => {
    // More than the service reads at a time, some of them of the same moment.
    await world.asSuperuser(
      `insert into upgrade_request (org_id, id, status, requested_by, requested_at)
       select o.org_id, gen_random_uuid(), 'rejected', 1, '2020-01-01'::timestamptz + n / 3 * interval '1 second'
       from organization o, generate_series(1, 1100) n where o.login = '${organization.login}'`,
    );
    const ids = (requests: readonly Record<string, unknown>[]): readonly unknown[] => requests.map(({ id }) => id);
    const whole = await listed('?status=rejected');
    expect(new Set(ids(whole)).size).toBe(whole.length);
    expect(whole.filter(ofThisWorkspace)).toHaveLength(1_100);
    const second = (await operator.get('/api/platform/upgrade-requests?status=rejected&page=2&pageSize=50')).body;
    expect(ids(second['requests'] as Record<string, unknown>[])).toEqual(ids(whole.slice(50, 100)));
    const pages = Math.ceil(whole.length / 50);
    expect(second['pagination']).toEqual({ page: 2, pageSize: 50, total: whole.length, pages });
    expect(await listed('?status=rejected&page=1000')).toEqual([]);
    expect((await listed('?page=1')).length).toBe(25);
    await world.asSuperuser(`delete from upgrade_request where requested_at < '2021-01-01'`);
  });

  it('approves a request that was paid for: the workspace is on the pro plan at once', async () => {
    const id = idOf(await ask());
    const answer = await approve(id, { paymentReference: ' INV-7 ' });
    expect(answer).toMatchObject({
      status: 200,
      body: { id, org: organization.login, status: 'approved', paymentReference: 'INV-7', reason: null },
    });
    expect(await billing()).toMatchObject({
      plan: 'pro',
      managedRepositories: { used: 0, limit: null },
      request: { id, status: 'approved', decidedAt: expect.any(String), paymentReference: 'INV-7' },
    });
    expect((await ask()).status).toBe(409);
    expect((await admin.send('DELETE', `${REQUESTS}/${id}`)).status).toBe(409);
    expect((await audited()).at(-1)).toEqual([
      'olga',
      'plan.upgraded',
      organization.login,
      { requestId: id, paymentReference: 'INV-7' },
    ]);
  });

  it('rejects one with a reason that the workspace reads, and may be asked again', async () => {
    const id = idOf(await ask());
    expect(await reject(id, { reason: 'unpaid' })).toMatchObject({ status: 200, body: { status: 'rejected' } });
    expect(await billing()).toMatchObject({ plan: 'free', request: { id, status: 'rejected', reason: 'unpaid' } });
    expect((await audited()).at(-1)).toEqual([
      'olga',
      'plan.upgrade_rejected',
      organization.login,
      { requestId: id, reason: 'unpaid' },
    ]);
    expect((await ask()).status).toBe(201);
  });

  it('decides a request once, whoever comes at the same time', async () => {
    const id = idOf(await ask());
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => [approve(id), reject(id), admin.send('DELETE', `${REQUESTS}/${id}`)]).flat(),
    );
    const made = answers.filter(({ status }) => status < 300);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(17);
    expect(await audited()).toHaveLength(2);
    const approved = made[0]?.body['status'] === 'approved';
    expect(await billing()).toMatchObject({ plan: approved ? 'pro' : 'free' });
  });

  it.each([UNKNOWN, 'x', `${UNKNOWN}0`])('has no request %s to decide', async (id) => {
    expect([(await approve(id)).status, (await reject(id)).status]).toEqual([404, 404]);
  });

  it.each([
    ['nothing', {}, {}],
    ['empty words', { paymentReference: '' }, { reason: '' }],
    ['blanks', { paymentReference: ' ' }, { reason: ' \n' }],
    ['two lines, or a number', { paymentReference: 'a\nb' }, { reason: 7 }],
    ['too many words', { paymentReference: 'x'.repeat(201) }, { reason: 'x'.repeat(1_001) }],
    ['more than is asked', { paymentReference: 'INV-1', plan: 'pro' }, { reason: 'no', org: 'acme' }],
  ])('decides nothing for %s', async (_, approval, rejection) => {
    const id = idOf(await ask());
    expect((await approve(id, approval)).status).toBe(400);
    expect((await reject(id, rejection)).status).toBe(400);
    expect((await downgrade(organization.login, rejection)).status).toBe(400);
    expect(await billing()).toMatchObject({ plan: 'free', request: { status: 'open' } });
  });

  it('puts a workspace back on the free plan by its login in any case, once', async () => {
    await approve(idOf(await ask()));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => downgrade(organization.login.toUpperCase(), { reason: ' unpaid ' })),
    );
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ org: organization.login, plan: 'free' });
    expect(await billing()).toMatchObject({ plan: 'free', managedRepositories: { limit: 3 } });
    expect((await audited()).at(-1)).toEqual(['olga', 'plan.downgraded', organization.login, { reason: 'unpaid' }]);
    expect((await ask()).status).toBe(201);
  });

  it('finds no workspace of a login that none has, or more than one', async () => {
    expect((await downgrade('nobody')).status).toBe(404);
    expect((await downgrade('%25')).status).toBe(404);
    await approve(idOf(await ask()));
    const named = (login: string, installation: string): string =>
      `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
       values (gen_random_uuid(), ${900_000 + nth}, '${login}', ${installation}, 'pro', now())`;
    // Deleted and made again under its old name: the one that is there now is meant.
    await world.asSuperuser(named(organization.login, 'null'));
    expect((await downgrade(organization.login)).body).toEqual({ org: organization.login, plan: 'free' });
    expect(await billing()).toMatchObject({ plan: 'free' });
    await world.asSuperuser(
      `update organization set installation_id = 990000 + ${nth} where github_id = 900000 + ${nth}`,
    );
    expect((await downgrade(organization.login)).status).toBe(404);
  });
});
