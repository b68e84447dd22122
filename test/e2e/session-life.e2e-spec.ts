import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import type { User } from '../github-sim/state/user.js';
import { Browser, type Page } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ME = '/api/auth/me';
const LOGOUT = '/api/auth/logout';

let env: TestEnvironment;
let ada: User;

beforeAll(async () => {
  env = await TestEnvironment.start();
  ada = env.github.createUser({ login: 'ada' });
  env.organization.addMember(ada, 'admin');
  await env.install();
});
afterAll(() => env.stop());

async function signedIn(): Promise<Browser> {
  const browser = new Browser(env);
  await browser.signIn(ada);
  return browser;
}

const statusOf = async (browser: Browser): Promise<number> => (await browser.goTo(ME)).status;

describe('a session', () => {
  it('ends after twelve hours without use', async () => {
    const browser = await signedIn();
    env.clock.advance(12 * HOUR_MS - MINUTE_MS);
    expect(await statusOf(browser)).toBe(200);
    env.clock.advance(12 * HOUR_MS - MINUTE_MS);
    expect(await statusOf(browser)).toBe(200);
    env.clock.advance(12 * HOUR_MS);
    expect(await statusOf(browser)).toBe(401);
  });

  it('ends after twelve hours in which only its page reads by itself', async () => {
    const browser = await signedIn();
    const read = (): Promise<Page> => browser.request('GET', ME, { 'x-background': '1' });
    env.clock.advance(12 * HOUR_MS - MINUTE_MS);
    expect((await read()).status).toBe(200);
    env.clock.advance(MINUTE_MS);
    expect((await read()).status).toBe(401);
    expect(await statusOf(browser)).toBe(401);
  });

  it('ends after seven days, however much it is used', async () => {
    const browser = await signedIn();
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      env.clock.advance(8 * HOUR_MS);
      expect(await statusOf(browser)).toBe(200);
    }
    env.clock.advance(8 * HOUR_MS - MINUTE_MS);
    expect(await statusOf(browser)).toBe(200);
    env.clock.advance(MINUTE_MS);
    expect(await statusOf(browser)).toBe(401);
  });

  it('is invalid if a wrong clock created it, and the user signs in again', async () => {
    env.clock.advance(HOUR_MS);
    const browser = await signedIn();
    expect(await statusOf(browser)).toBe(200);
    env.clock.advance(-HOUR_MS);
    expect(await statusOf(browser)).toBe(401);
    expect(await statusOf(await signedIn())).toBe(200);
  });

  it('is not extended by a use that a wrong clock recorded', async () => {
    await env.asSuperuser('delete from session');
    const browser = await signedIn();
    env.clock.advance(20 * HOUR_MS);
    await env.asSuperuser(`update session set last_seen_at = created_at + interval '20 hours' where ended_at is null`);
    env.clock.advance(-19 * HOUR_MS);
    expect(await statusOf(browser)).toBe(200);
    const [last] = await env.asSuperuser<{ at: Date }>('select last_seen_at as at from session');
    expect(last?.at.getTime()).toBeLessThanOrEqual(env.clock.now().getTime());
    env.clock.advance(12 * HOUR_MS);
    expect(await statusOf(browser)).toBe(401);
  });

  it('has ended if a wrong clock recorded its last use and it began long ago', async () => {
    const browser = await signedIn();
    env.clock.advance(13 * HOUR_MS);
    await env.asSuperuser(`update session set last_seen_at = created_at + interval '20 hours' where ended_at is null`);
    expect(await statusOf(browser)).toBe(401);
  });

  it('is deleted some time after it ended, like sign-ins that were not completed', async () => {
    await signedIn();
    await new Browser(env).goTo('/api/auth/login');
    env.clock.advance(8 * 24 * HOUR_MS);
    const lately = await signedIn();
    await new Browser(env).goTo('/api/auth/login');
    await env.app.get(RetentionJobs, { strict: false }).deleteExpired();
    const [left] = await env.asSuperuser(
      'select (select count(*)::int from session) as sessions, (select count(*)::int from login_attempt) as attempts',
    );
    expect(left).toEqual({ sessions: 1, attempts: 1 });
    expect(await statusOf(lately)).toBe(200);
  });
});

describe('signing out', () => {
  it('ends the session for every holder of its cookie', async () => {
    const browser = await signedIn();
    const thief = new Browser(env);
    thief.setCookie('connect.sid', browser.cookie('connect.sid') ?? '');
    const other = await signedIn();
    const answer = await browser.post(LOGOUT);
    expect([answer.status, browser.cookie('connect.sid')]).toEqual([204, null]);
    expect(await statusOf(thief)).toBe(401);
    expect((await thief.post(LOGOUT)).status).toBe(401);
    // The other sessions of the user continue.
    expect(await statusOf(other)).toBe(200);
  });

  it('is not undone by running requests', async () => {
    for (let round = 0; round < 10; round += 1) {
      const browser = await signedIn();
      const late = new Browser(env);
      late.setCookie('connect.sid', browser.cookie('connect.sid') ?? '');
      // Old enough that its use is saved again, which could restore the session.
      env.clock.advance(2 * MINUTE_MS);
      await Promise.all([
        ...Array.from({ length: 5 }, () => late.goTo(ME)),
        browser.post(LOGOUT),
        ...Array.from({ length: 5 }, () => late.post('/api/auth/workspace', { org: 'acme' })),
      ]);
      expect(await statusOf(late)).toBe(401);
    }
  });
});

describe('a page of another site', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const TEXT = { 'content-type': 'text/plain' };
  const JSON_TYPE = { 'content-type': 'application/json' };
  const ELSEWHERE = { origin: 'https://elsewhere.example' };

  it.each([
    ['a form', { ...ELSEWHERE, ...FORM }, 'org=acme', 403],
    ['a form of text', { ...ELSEWHERE, ...TEXT }, '{"org":"acme"}', 403],
    ['JSON', { ...ELSEWHERE, ...JSON_TYPE }, '{"org":"acme"}', 403],
    ['JSON that calls itself a form, without a body', { ...ELSEWHERE, ...FORM }, '', 403],
    ['no body', ELSEWHERE, undefined, 403],
    ['no body, from a sandboxed frame', { origin: 'null' }, undefined, 403],
    ['no body, and does not say where from', {}, undefined, 403],
    ['no body, and says only that it is of another site', { 'sec-fetch-site': 'cross-site' }, undefined, 403],
    ['no body, from a neighbour below the same domain', { 'sec-fetch-site': 'same-site' }, undefined, 403],
    ['no body, without a user action', { 'sec-fetch-site': 'none' }, undefined, 403],
    ['no body, with two opinions', { ...ELSEWHERE, 'sec-fetch-site': 'same-origin' }, undefined, 403],
  ])('cannot use a session by sending %s', async (_, headers, body, status) => {
    const browser = await signedIn();
    for (const path of [LOGOUT, '/api/auth/workspace']) {
      expect((await browser.request('POST', path, headers, body)).status).toBe(status);
    }
    expect(await statusOf(browser)).toBe(200);
  });

  it.each([
    ['another port', (url: URL) => `${url.protocol}//${url.hostname}:1`],
    ['another scheme', (url: URL) => `https://${url.host}`],
    ['a name that begins like ours', (url: URL) => `${url.origin}.elsewhere.example`],
    ['a name that ends like ours', (url: URL) => `${url.protocol}//elsewhere-${url.host}`],
    ['a path behind ours', (url: URL) => `${url.origin}/`],
  ])('is not accepted as a page of the service for %s', async (_, originOf) => {
    const browser = await signedIn();
    const origin = originOf(new URL(env.baseUrl));
    expect((await browser.request('POST', LOGOUT, { origin })).status).toBe(403);
    expect(await statusOf(browser)).toBe(200);
  });

  it('is distinguished from a page of the service, which is accepted', async () => {
    const one = await signedIn();
    expect((await one.request('POST', LOGOUT, { origin: env.baseUrl })).status).toBe(204);
    const other = await signedIn();
    expect((await other.request('POST', LOGOUT, { 'sec-fetch-site': 'same-origin' })).status).toBe(204);
  });
});
