import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenLongWindows } from '../support/given-long-windows.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const LIMIT = 300;

let env: TestEnvironment;
let stranger: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ RATE_LIMITS: 'on' });
  await givenLongWindows(env.databaseUrls);
  await env.install();
  stranger = await signIn(env, env.github.createUser({ login: 'eve' }), { role: null });
});
afterAll(() => env.stop());

/** The responses to this many requests, a few at a time. */
async function flood(times: number, request: () => Promise<JsonAnswer>): Promise<readonly JsonAnswer[]> {
  const answers: JsonAnswer[] = [];
  while (answers.length < times) answers.push(...(await Promise.all(Array.from({ length: 20 }, request))));
  return answers;
}

const count = (answers: readonly JsonAnswer[], expected: number): number =>
  answers.filter(({ status }) => status === expected).length;

describe('a signed-in user whose requests are rejected', () => {
  it('uses the common limit of signed-in users, and gets the remaining number', async () => {
    const first = await stranger.get('/api/team');
    expect([first.status, first.headers.get('ratelimit')]).toEqual([
      403,
      expect.stringMatching(/^"session";r=299;t=\d+$/),
    ]);
    const answers = await flood(LIMIT + 20, () => stranger.get('/api/team'));
    expect([count(answers, 403), count(answers, 429)]).toEqual([LIMIT - 1, 21]);
    const last = await stranger.get('/api/auth/me');
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  it('does not use the limit of others', async () => {
    const ada = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'member' });
    expect((await ada.get('/api/team')).status).toBe(200);
  });
});

describe('a session that has ended', () => {
  it('has its own limit, so that the address can sign in again', async () => {
    const bob = await signIn(env, env.github.createUser({ login: 'bob' }));
    const again = await signIn(env, bob.user);
    expect((await bob.send('POST', '/api/auth/logout')).status).toBe(204);
    const answers = await flood(LIMIT + 20, () => bob.get('/api/auth/me'));
    expect([count(answers, 401), count(answers, 429)]).toEqual([LIMIT, 20]);
    expect((await again.get('/api/auth/me')).status).toBe(200);
  });
});

describe('a body that cannot be parsed', () => {
  const BODIES = [
    ['is no JSON', 'application/json', '{"name"'],
    ['is of another type', 'text/plain', 'name'],
    ['is too large', 'application/json', JSON.stringify('x'.repeat(300_000))],
  ] as const;
  const post = async (type: string, body: string, headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${env.baseUrl}/api/projects`, {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body,
    });
    await response.text();
    return response.status;
  };

  it.each(BODIES)('that %s is not read before authentication', async (_name, type, body) => {
    const eve = await signIn(env, env.github.createUser({ login: `eve-${type.length}-${body.length}` }));
    const statuses = [
      await post(type, body, {}),
      await post(type, body, { cookie: eve.cookie, origin: 'https://elsewhere.example' }),
    ];
    expect(statuses).toEqual([401, 403]);
    expect(await post(type, body, { cookie: eve.cookie, origin: env.baseUrl })).toBeGreaterThanOrEqual(400);
  });

  it.each(BODIES)('that %s of an upload is not read before its credential is verified', async (_name, type, body) => {
    for (const path of ['/api/evidence/upload', '/api/evidence/upload-report']) {
      const send = (headers: Record<string, string>): Promise<Response> =>
        fetch(`${env.baseUrl}${path}`, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
      const statuses = [(await send({})).status, (await send({ authorization: 'Bearer nonsense' })).status];
      expect(statuses).toEqual([401, 401]);
    }
  });
});
