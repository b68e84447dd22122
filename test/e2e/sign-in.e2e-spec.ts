import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { User } from '../github-sim/state/user.js';
import { Browser, type Page } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';

const MINUTE_MS = 60_000;
const NOT_BEGUN = { error: expect.stringContaining('was not started in this browser') };

let env: TestEnvironment;
let ada: User;
let bob: User;

beforeAll(async () => {
  env = await TestEnvironment.start();
  ada = env.github.createUser({ login: 'ada', name: 'Ada Lovelace' });
  bob = env.github.createUser({ login: 'bob' });
  env.organization.addMember(ada, 'admin');
  await env.install();
});
afterAll(() => env.stop());

/** The address with other parameters; null removes one. */
function changed(address: string, changes: Readonly<Record<string, string | null>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const parameter = (address: string, name: string): string => new URL(address).searchParams.get(name) ?? '';

describe('a sign-in', () => {
  it('redirects to GitHub and back to the page where it began', async () => {
    const browser = new Browser(env);
    expect((await browser.goTo('/api/auth/me')).status).toBe(401);
    const begun = await browser.goTo('/api/auth/login?returnTo=/releases%3Fpage=2');
    expect([begun.status, begun.location.split('?')[0]]).toEqual([302, `${env.github.url}/login/oauth/authorize`]);
    expect(begun.headers.get('cache-control')).toBe('no-store');
    expect(Object.fromEntries(new URL(begun.location).searchParams)).toEqual({
      client_id: env.githubApp.clientId,
      redirect_uri: `${env.baseUrl}/api/auth/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const back = (await browser.goTo(`${begun.location}&login=ada`)).location;
    const arrived = await browser.goTo(back);
    expect([arrived.status, arrived.location]).toEqual([302, '/releases?page=2']);
    expect(arrived.headers.get('cache-control')).toBe('no-store');
    expect(browser.cookie('shipgate.login')).toBeNull();
    expect(await browser.goTo('/api/auth/me')).toMatchObject({
      status: 200,
      body: {
        user: { id: ada.id, login: 'ada', name: 'Ada Lovelace', avatarUrl: `${env.github.url}/avatars/${ada.id}` },
        workspace: { org: 'acme', role: 'admin' },
        platformAdmin: false,
      },
    });
  });

  it('sets cookies that scripts cannot read and other sites cannot send', async () => {
    const browser = new Browser(env);
    const begun = await browser.goTo('/api/auth/login');
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^shipgate\.login=[\w-]{43}; Max-Age=600; Path=\/api\/auth; HttpOnly; SameSite=Lax$/),
    ]);
    const arrived = await browser.goTo((await browser.goTo(`${begun.location}&login=ada`)).location);
    expect(arrived.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^shipgate\.login=; .*Path=\/api\/auth; .*HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^connect\.sid=[\w%.+/-]{80,}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('also works for users without a workspace', async () => {
    const browser = new Browser(env);
    expect((await browser.signIn(bob)).status).toBe(302);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({ user: { login: 'bob' }, workspace: null });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: false });
  });

  it('ends at the front page if it began without a target', async () => {
    expect((await new Browser(env).signIn(ada)).location).toBe('/');
  });
});

describe('a redirect to another site after the sign-in', () => {
  it.each([
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/\t/elsewhere.example',
    '/%2felsewhere.example',
    '/..//elsewhere.example',
    'https://elsewhere.example/',
    'javascript:alert(1)',
    '/a\r\nSet-Cookie: a=b',
    '',
  ])('is rejected: %j', async (returnTo) => {
    const browser = new Browser(env);
    const answer = await browser.goTo(`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining('returnTo') }]);
    expect(browser.cookie('shipgate.login')).toBeNull();
  });

  it('is rejected if it is too long', async () => {
    expect((await new Browser(env).goTo(`/api/auth/login?returnTo=/${'a'.repeat(2_000)}`)).status).toBe(400);
  });

  it('is rejected if it is sent twice', async () => {
    expect((await new Browser(env).goTo('/api/auth/login?returnTo=/a&returnTo=//b.example')).status).toBe(400);
  });

  it('cannot be added on the way back', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada, '/here');
    expect((await browser.goTo(`${back}&returnTo=//elsewhere.example`)).location).toBe('/here');
  });
});

describe('a response of GitHub', () => {
  it('is rejected in another browser', async () => {
    const mallory = new Browser(env);
    const back = await mallory.consent(bob);
    const victim = new Browser(env);
    expect(await victim.goTo(back)).toMatchObject({ status: 400, body: NOT_BEGUN });
    // It is also rejected if the other browser has begun its own sign-in, with its own cookie.
    await victim.goTo('/api/auth/login');
    expect(await victim.goTo(back)).toMatchObject({ status: 400, body: NOT_BEGUN });
    expect((await victim.goTo('/api/auth/me')).status).toBe(401);
  });

  it('is rejected with the state of another sign-in', async () => {
    const mallory = new Browser(env);
    const theirs = await mallory.consent(bob);
    const victim = new Browser(env);
    const own = await victim.consent(ada);
    const swapped = changed(theirs, { state: parameter(own, 'state') });
    // The state is that of the victim, so GitHub rejects the code, because it belongs to another verifier.
    expect(await victim.goTo(swapped)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('rejected the code') },
    });
    expect((await victim.goTo('/api/auth/me')).status).toBe(401);
  });

  it.each([
    ['missing', null],
    ['empty', ''],
    ['wrong', 'A'.repeat(43)],
    ['too long', 'A'.repeat(5_000)],
  ])('is rejected with a state that is %s, and the sign-in continues', async (_, state) => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    expect(await browser.goTo(changed(back, { state }))).toMatchObject({ status: 400, body: NOT_BEGUN });
    expect((await browser.goTo(`${back}&state=another`)).status).toBe(400);
    expect((await browser.goTo('/api/auth/me')).status).toBe(401);
    expect((await browser.goTo(back)).status).toBe(302);
  });

  it('is accepted once', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    const cookie = browser.cookie('shipgate.login') ?? '';
    expect((await browser.goTo(back)).status).toBe(302);
    expect(await browser.goTo(back)).toMatchObject({ status: 400, body: NOT_BEGUN });
    // It is also rejected with a new code if the cookie was kept.
    browser.setCookie('shipgate.login', cookie, '/api/auth');
    const again = changed(back, { code: 'a-new-code' });
    expect(await browser.goTo(again)).toMatchObject({ status: 400, body: NOT_BEGUN });
  });

  it('is accepted once when it arrives twice at the same time', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await browser.goTo(back)).status));
    expect([302, 400].map((status) => statuses.filter((one) => one === status).length)).toEqual([1, 9]);
  });

  it('is accepted for ten minutes', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    env.clock.advance(10 * MINUTE_MS);
    expect(await browser.goTo(back)).toMatchObject({ status: 400, body: NOT_BEGUN });
  });

  it('is rejected with a forged cookie', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    browser.setCookie('shipgate.login', randomBytes(32).toString('base64url'), '/api/auth');
    expect(await browser.goTo(back)).toMatchObject({ status: 400, body: NOT_BEGUN });
  });

  it('that contains an error ends the sign-in', async () => {
    const browser = new Browser(env);
    const back = changed(await browser.consent(ada), { code: null, error: 'access_denied' });
    expect(await browser.goTo(back)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('You did not') },
    });
    expect((await browser.goTo(back)).status).toBe(400);
    const other = changed(await browser.consent(ada), { code: null, error: '<script>' });
    expect((await browser.goTo(other)).body).toEqual({
      error: 'GitHub rejected the sign-in. Start again at /api/auth/login.',
    });
  });

  it('without a code, or with an unknown one, is rejected', async () => {
    const browser = new Browser(env);
    expect((await browser.goTo(changed(await browser.consent(ada), { code: null }))).status).toBe(400);
    expect((await browser.goTo(changed(await browser.consent(ada), { code: 'made-up' }))).status).toBe(400);
    expect((await browser.goTo('/api/auth/me')).status).toBe(401);
  });

  it('is not exchanged without the verifier', async () => {
    const back = await new Browser(env).consent(ada);
    const answer = await fetch(`${env.github.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: env.githubApp.clientId,
        client_secret: env.githubApp.clientSecret,
        code: parameter(back, 'code'),
      }),
    });
    expect(await answer.json()).toMatchObject({ error: 'bad_verification_code' });
  });
});

describe('a failed sign-in in a browser', () => {
  const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const open = (browser: Browser, address: string): Promise<Page> => browser.request('GET', address, HTML);

  it.each([
    ['denied', { code: null, error: 'access_denied' }],
    ['github_rejected', { code: null, error: 'suspended' }],
    ['code_rejected', { code: 'made-up' }],
    ['expired', { state: 'A'.repeat(43) }],
  ])('leads to the sign-in page with the notice %s', async (notice, changes) => {
    const browser = new Browser(env);
    const answer = await open(browser, changed(await browser.consent(ada), changes));
    expect([answer.status, answer.location]).toEqual([302, `/sign-in?notice=${notice}`]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(browser.cookie('connect.sid')).toBeNull();
  });

  it('leads there with a notice while GitHub does not answer', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    env.github.faults.next({ kind: '5xx', match: /^GET \/user$/, times: 3 });
    expect((await open(browser, back)).location).toBe('/sign-in?notice=github_unavailable');
  });

  it('leads there with the notice of a bad request, without any text of the address', async () => {
    const answer = await open(new Browser(env), '/api/auth/callback?state=%00');
    expect([answer.status, answer.location]).toEqual([302, '/sign-in?notice=invalid']);
  });

  it('is JSON for a caller that accepts everything, and names the cause in a header', async () => {
    const browser = new Browser(env);
    const back = changed(await browser.consent(ada), { code: null, error: 'access_denied' });
    const { status, headers, body } = await browser.goTo(back);
    expect([status, headers.get('x-error-code'), Object.keys(body)]).toEqual([403, 'denied', ['error']]);
  });

  it('is JSON on every other route, also for a browser', async () => {
    const answer = await open(new Browser(env), '/api/auth/login?returnTo=elsewhere');
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']]);
  });
});

describe('an earlier session in the browser', () => {
  it('is replaced by the sign-in, and ends', async () => {
    const browser = new Browser(env);
    await browser.signIn(bob);
    const planted = browser.cookie('connect.sid') ?? '';
    await browser.signIn(ada);
    expect(browser.cookie('connect.sid')).not.toBe(planted);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({ user: { login: 'ada' } });
    const mallory = new Browser(env);
    mallory.setCookie('connect.sid', planted);
    expect((await mallory.goTo('/api/auth/me')).status).toBe(401);
  });

  it('is ignored if the service did not create it', async () => {
    const browser = new Browser(env);
    const planted = randomBytes(32).toString('base64url');
    browser.setCookie('connect.sid', planted);
    await browser.signIn(ada);
    const mallory = new Browser(env);
    for (const value of [planted, `${planted}.${randomBytes(32).toString('base64url')}`]) {
      mallory.setCookie('connect.sid', value);
      expect((await mallory.goTo('/api/auth/me')).status).toBe(401);
    }
    expect(browser.cookie('connect.sid')).not.toContain(planted);
  });

  it('continues if the sign-in fails', async () => {
    const browser = new Browser(env);
    await browser.signIn(ada);
    expect((await browser.goTo(changed(await browser.consent(bob), { code: 'made-up' }))).status).toBe(400);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({ user: { login: 'ada' } });
  });
});

describe('a user', () => {
  it('who was renamed has the new name from the next sign-in on', async () => {
    const carol = env.github.createUser({ login: 'carol' });
    env.organization.addMember(carol, 'admin');
    const browser = new Browser(env);
    await browser.signIn(carol);
    carol.rename('caroline');
    await browser.signIn(carol);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({
      user: { id: carol.id, login: 'caroline' },
      workspace: { org: 'acme', role: 'admin' },
    });
  });

  it('who took over the name of another is a different user', async () => {
    const dan = env.github.createUser({ login: 'dan' });
    env.organization.addMember(dan, 'admin');
    await new Browser(env).signIn(dan);
    dan.delete();
    const impostor = env.github.createUser({ login: 'dan' });
    const browser = new Browser(env);
    await browser.signIn(impostor);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({
      user: { id: impostor.id, login: 'dan' },
      workspace: null,
    });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: false });
    expect((await browser.post('/api/auth/workspace', { org: 'acme' })).status).toBe(403);
  });
});
