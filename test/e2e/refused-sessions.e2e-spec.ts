import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenLongWindows } from '../support/given-long-windows.js';
import { type JsonAnswer, type SignedIn, signedIn } from '../support/signed-in.js';
import { World } from '../support/world.js';

const LIMIT = 300;

let world: World;
let stranger: SignedIn;

beforeAll(async () => {
  world = await World.start({ RATE_LIMITS: 'on' });
  await givenLongWindows(world.databaseUrls);
  await world.install();
  stranger = await signedIn(world, world.github.createUser({ login: 'eve' }), { role: null });
});
afterAll(() => world.stop());

/** The answers to this many requests, a few at a time. */
async function flood(times: number, ask: () => Promise<JsonAnswer>): Promise<readonly JsonAnswer[]> {
  const answers: JsonAnswer[] = [];
  while (answers.length < times) answers.push(...(await Promise.all(Array.from({ length: 20 }, ask))));
  return answers;
}

const count = (answers: readonly JsonAnswer[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length;

describe('somebody who is signed in and refused', () => {
  it('is held to the limit of everybody who is, and told how much is left', async () => {
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

  it('takes nothing from anybody else', async () => {
    const ada = await signedIn(world, world.github.createUser({ login: 'ada' }), { role: 'member' });
    expect((await ada.get('/api/team')).status).toBe(200);
  });
});

describe('a session that has ended', () => {
  it('is held to the limit by itself, so that the address can sign in anew', async () => {
    const bob = await signedIn(world, world.github.createUser({ login: 'bob' }));
    const again = await signedIn(world, bob.user);
    expect((await bob.send('POST', '/api/auth/logout')).status).toBe(204);
    const answers = await flood(LIMIT + 20, () => bob.get('/api/auth/me'));
    expect([count(answers, 401), count(answers, 429)]).toEqual([LIMIT, 20]);
    expect((await again.get('/api/auth/me')).status).toBe(200);
  });
});
