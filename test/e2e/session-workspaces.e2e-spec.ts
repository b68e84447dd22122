import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { Browser, type Page } from '../support/browser.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

let env: TestEnvironment;
let zeta: Organization;
let ada: User;
let eve: User;
/** An admin of `acme` and a member of `Zeta`. */
let bea: User;

beforeAll(async () => {
  env = await TestEnvironment.start();
  zeta = env.github.createOrganization({ login: 'Zeta' });
  const foreign = env.github.createOrganization({ login: 'foreign' });
  ada = env.github.createUser({ login: 'ada' });
  eve = env.github.createUser({ login: 'eve' });
  env.organization.addMember(ada, 'admin');
  bea = env.github.createUser({ login: 'bea' });
  env.organization.addMember(bea, 'admin');
  zeta.addMember(ada, 'member');
  zeta.addMember(bea, 'member');
  zeta.addMember(eve, 'admin');
  for (const organization of [env.organization, zeta, foreign]) await env.install(organization);
  // Members of one workspace through an invite, not as owners.
  for (const user of [ada, bea]) await signIn(env, user, { role: 'member', organization: zeta });
});
afterAll(() => env.stop());

async function arrived(user: User): Promise<Browser> {
  const browser = new Browser(env);
  expect(await browser.signIn(user)).toMatchObject({ status: 302 });
  return browser;
}

const workspaceOf = async (browser: Browser): Promise<unknown> =>
  (await browser.goTo('/api/auth/me')).body['workspace'];

describe('a user with several workspaces', () => {
  it('sees each with their role there, and selects one', async () => {
    const browser = await arrived(ada);
    expect(await workspaceOf(browser)).toBeNull();
    const list = (selected: string) => ({
      workspaces: [
        { org: 'acme', role: 'admin', installed: true, selected: selected === 'acme' },
        { org: 'Zeta', role: 'member', installed: true, selected: selected === 'Zeta' },
      ],
      discovering: false,
    });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual(list('none'));
    expect(await browser.post('/api/auth/workspace', { org: 'zETA' })).toMatchObject({
      status: 200,
      body: { user: { login: 'ada' }, workspace: { org: 'Zeta', role: 'member' } },
    });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual(list('Zeta'));
    expect(await workspaceOf(browser)).toMatchObject({ org: 'Zeta', role: 'member', auditor: false });
  });

  it('returns to the last selected one, and other sessions do not change', async () => {
    const first = await arrived(ada);
    expect(await first.post('/api/auth/workspace', { org: 'acme' })).toMatchObject({ status: 200 });
    const second = await arrived(ada);
    expect(await workspaceOf(second)).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
    await second.post('/api/auth/workspace', { org: 'Zeta' });
    expect(await workspaceOf(first)).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
    expect(await workspaceOf(await arrived(ada))).toMatchObject({ org: 'Zeta', role: 'member', auditor: false });
  });

  it('returns to the only one that remains', async () => {
    const browser = await arrived(ada);
    await browser.post('/api/auth/workspace', { org: 'Zeta' });
    zeta.removeMember(ada);
    await env.waitUntilIdle();
    expect(await workspaceOf(browser)).toBeNull();
    expect(await workspaceOf(await arrived(ada))).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
  });
});

it('each of many requests at the same time gets the user and the workspace of its own session', async () => {
  const [ofBea, ofEve, ended] = [await arrived(bea), await arrived(eve), await arrived(eve)];
  await ofBea.post('/api/auth/workspace', { org: 'acme' });
  const cookie = ended.cookie('connect.sid') ?? '';
  expect(await ended.post('/api/auth/logout')).toMatchObject({ status: 204 });
  ended.setCookie('connect.sid', cookie);
  const read = async (browser: Browser): Promise<unknown> => {
    const { status, body } = await browser.goTo('/api/auth/me');
    return [status, body['user'], body['workspace']];
  };
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => read([ofBea, ofEve, ended][at % 3] ?? ended)),
  );
  const user = (login: string): unknown => expect.objectContaining({ login });
  const workspace = (org: string): unknown => expect.objectContaining({ org, role: 'admin' });
  answers.forEach((answer, at) =>
    expect(answer).toEqual(
      [
        [200, user('bea'), workspace('acme')],
        [200, user('eve'), workspace('Zeta')],
        [401, undefined, undefined],
      ][at % 3],
    ),
  );
});

describe('a workspace of other users', () => {
  it.each(['acme', 'foreign', 'nothing-of-the-kind', 'zeta2'])('cannot be selected: %s', async (org) => {
    const browser = await arrived(eve);
    const answer = await browser.post('/api/auth/workspace', { org });
    // The response is the same whether or not the workspace exists.
    expect(answer).toMatchObject({ status: 403, body: { error: 'You are not a member of a workspace of this name.' } });
    expect(await workspaceOf(browser)).toMatchObject({ org: 'Zeta', role: 'admin', auditor: false });
  });

  it.each([
    ['nothing', undefined],
    ['an empty name', { org: '' }],
    ['no text', { org: 7 }],
    ['several', { org: ['zeta'] }],
    ['more than a name', { org: 'zeta', role: 'admin' }],
    ['a name longer than any', { org: 'z'.repeat(101) }],
  ])('is not requested with %s', async (_, body) => {
    const browser = await arrived(eve);
    expect((await browser.post('/api/auth/workspace', body)).status).toBe(400);
  });
});

const send = (browser: Browser, method: string, path: string, workspace: string, body?: string): Promise<Page> =>
  browser.request(
    method,
    path,
    { origin: env.baseUrl, 'x-workspace': workspace, ...(body && { 'content-type': 'application/json' }) },
    body,
  );

describe('a request that names its workspace', () => {
  const FREEZE = JSON.stringify({ from: '2099-12-20', to: '2099-12-31', reason: 'year end' });
  /** A browser with two tabs, of which the second one selects `acme` while the first one shows `Zeta`. */
  async function switched(): Promise<Browser> {
    const browser = await arrived(bea);
    await browser.post('/api/auth/workspace', { org: 'Zeta' });
    await browser.post('/api/auth/workspace', { org: 'acme' });
    return browser;
  }
  it('is answered if the session works in it, in any case of the name', async () => {
    const browser = await switched();
    for (const name of ['acme', 'Acme']) {
      const { status, headers } = await send(browser, 'GET', '/api/freezes', name);
      expect([status, headers.get('x-workspace')]).toEqual([200, 'acme']);
    }
  });

  it('is a conflict after another tab selected another workspace, and changes nothing', async () => {
    const browser = await switched();
    const answer = await send(browser, 'POST', '/api/freezes', 'Zeta', FREEZE);
    expect([answer.status, answer.headers.get('x-workspace'), answer.body]).toEqual([
      409,
      'acme',
      { error: expect.stringContaining('Your session works in another workspace') },
    ]);
    expect((await send(browser, 'GET', '/api/dashboard', 'Zeta')).status).toBe(409);
    await browser.post('/api/auth/workspace', { org: 'Zeta' });
    expect(await env.asSuperuser('select 1 from deployment_freeze')).toEqual([]);
    expect((await send(browser, 'GET', '/api/dashboard', 'Zeta')).status).toBe(200);
  });

  it('is the same conflict for a workspace that exists, one of other users and one that does not exist', async () => {
    const browser = await switched();
    const answers = await Promise.all(
      ['Zeta', 'foreign', 'nothing-of-the-kind'].map((org) => send(browser, 'GET', '/api/projects', org)),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  });

  it('is a conflict on routes that need no workspace, too', async () => {
    const browser = await switched();
    expect((await send(browser, 'GET', '/api/auth/me', 'Zeta')).status).toBe(409);
    expect((await send(browser, 'POST', '/api/auth/logout', 'Zeta')).status).toBe(409);
    expect(await workspaceOf(browser)).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
  });

  it('is invalid if the name cannot be a login', async () => {
    const { status, body } = await send(await switched(), 'GET', '/api/freezes', 'a'.repeat(101));
    expect([status, body]).toEqual([400, { error: 'X-Workspace must be the login of one organization.' }]);
  });

  it('can name it in the query for the event stream, which browsers request without headers of the page', async () => {
    const browser = await switched();
    const open = (query: string): Promise<Page> => browser.request('HEAD', `/api/events${query}`);
    const own = await open('?workspace=ACME');
    expect([own.status, own.headers.get('x-workspace')]).toEqual([200, 'acme']);
    expect((await open('?workspace=Zeta')).status).toBe(409);
    expect((await open('?workspace=acme&workspace=acme')).status).toBe(400);
  });

  it.each([
    ['/api/history/export?format=csv', 200],
    ['/api/quality/export?format=csv', 200],
    [`/api/milestones/${NOWHERE}/audit-pack?`, 404],
    [`/api/evidence/${NOWHERE}/reports/${NOWHERE}?`, 404],
  ])('can name it in the query of a download, which a link requests without headers: %s', async (path, found) => {
    const browser = await switched();
    const download = async (query: string): Promise<number> =>
      (await browser.request('GET', `${path}&workspace=${query}`)).status;
    await expect(Promise.all(['ACME', 'Zeta', ''].map(download))).resolves.toEqual([found, 409, 400]);
  });
});

describe('a response', () => {
  it('names the workspace of the session, also the one that it selects', async () => {
    const browser = await arrived(bea);
    for (const org of ['Zeta', 'acme']) {
      const selected = await browser.post('/api/auth/workspace', { org });
      const next = await browser.goTo('/api/auth/me');
      expect([selected, next].map(({ headers }) => headers.get('x-workspace'))).toEqual([org, org]);
    }
  });

  it('names none without a session, and if the session has selected none', async () => {
    const nowhere = await arrived(env.github.createUser({ login: 'newcomer' }));
    for (const browser of [new Browser(env), nowhere]) {
      expect((await browser.goTo('/api/auth/me')).headers.has('x-workspace')).toBe(false);
    }
    const answer = await send(nowhere, 'GET', '/api/auth/me', 'acme');
    expect([answer.status, answer.body['workspace']]).toEqual([200, null]);
    expect((await send(nowhere, 'GET', '/api/dashboard', 'acme')).status).toBe(403);
  });
});

describe('a rejected request', () => {
  it('names its cause, where one status has several', async () => {
    const causeOf = async (answer: Promise<Page>): Promise<unknown> => {
      const { status, headers, body } = await answer;
      return [status, headers.get('x-error-code'), Object.keys(body)];
    };
    const post = { origin: env.baseUrl, 'content-type': 'application/json' };
    const member = await arrived(bea);
    await member.post('/api/auth/workspace', { org: 'Zeta' });
    expect(await causeOf(member.goTo('/api/debug'))).toEqual([403, 'admin_required', ['error']]);
    expect(await causeOf(member.post('/api/auth/workspace', { org: 'foreign' }))).toEqual([
      403,
      'not_a_member',
      ['error'],
    ]);
    const elsewhere = { ...post, origin: 'https://elsewhere.example' };
    expect(await causeOf(member.request('POST', '/api/auth/workspace', elsewhere, '{}'))).toEqual([
      403,
      'cross_origin',
      ['error'],
    ]);
    expect(await causeOf(send(member, 'GET', '/api/dashboard', 'acme'))).toEqual([409, 'other_workspace', ['error']]);
    const named = JSON.stringify({ name: 'checkout' });
    await member.request('POST', '/api/projects', post, named);
    expect(await causeOf(member.request('POST', '/api/projects', post, named))).toEqual([409, 'name_taken', ['error']]);
    const nowhere = await arrived(env.github.createUser({ login: 'nobody-here' }));
    expect(await causeOf(nowhere.goTo('/api/dashboard'))).toEqual([403, 'no_workspace', ['error']]);
    expect(await causeOf(nowhere.goTo('/api/milestones'))).toEqual([404, null, ['error']]);
  });
});
