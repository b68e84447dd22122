import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InviteTokens } from '../../src/features/team/invite-tokens.js';
import { testEnvironment } from '../support/environment.js';
import { type JsonAnswer, signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { accept, InviteScene, refusal } from './scene/invite-scene.js';
import { auditOf } from './scene/members.js';

const DAY_MS = 24 * 3_600_000;

let world: TestEnvironment;
let scene: InviteScene;

beforeAll(async () => {
  world = await TestEnvironment.start();
});
afterAll(async () => {
  expect(world.violations).toEqual([]);
  await world.stop();
});
beforeEach(async () => {
  world.github.faults.clear();
  scene = await InviteScene.found(world);
});

const counted = (answers: readonly JsonAnswer[]): object =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))].map((status) => [
      status,
      answers.filter((answer) => answer.status === status).length,
    ]),
  );

describe('accepting', () => {
  it('works once, also where twenty people try at once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, n) => scene.guest(`p${n}`)));
    const { token } = await scene.invite();
    expect(counted(await Promise.all(people.map((person) => accept(person, token))))).toEqual({ 200: 1, 410: 19 });
    const members = await world.database.inTenant(scene.orgId, (tx) => tx.query('select from member'));
    expect(members).toHaveLength(2);
    expect((await auditOf(world, scene.orgId)).filter((entry) => entry.startsWith('invite.accepted'))).toHaveLength(1);
  });

  it('works once, also where one person tries twenty times at once', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(zoe, token)));
    expect(counted(answers)).toEqual({ 200: 1, 409: 19 });
    expect((await auditOf(world, scene.orgId)).filter((entry) => entry.startsWith('member.joined'))).toHaveLength(1);
  });

  it('uses up one of two invites that a person accepts at once', async () => {
    const zoe = await scene.guest('zoe');
    const [one, other] = [await scene.invite(), await scene.invite()];
    const answers = await Promise.all([accept(zoe, one.token), accept(zoe, other.token)]);
    expect([counted(answers), (await scene.waiting()).length]).toEqual([{ 200: 1, 409: 1 }, 1]);
  });

  it('tells who is in already that they are', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    await accept(zoe, token);
    expect(await accept(zoe, token)).toMatchObject(refusal(409, `member of ${scene.organization.login} already`));
    expect(await accept(scene.ada, (await scene.invite()).token)).toMatchObject(refusal(409, 'already'));
    expect(await scene.waiting()).toHaveLength(1);
  });

  it('is for nobody outside the organization, and keeps the invite for when they are in', async () => {
    const outsider = await signIn(world, world.github.createUser({ login: `out-${scene.number}` }), { role: null });
    const { token } = await scene.invite({ login: outsider.user.login, role: 'member' });
    expect(await accept(outsider, token)).toMatchObject(refusal(403, 'do not belong to the organization'));
    expect(await scene.roleOf(outsider)).toBeNull();
    scene.joins(outsider.user);
    // A no is remembered for ten seconds.
    world.clock.advance(11_000);
    expect((await accept(outsider, token)).status).toBe(200);
  });

  it('needs a session, and a page of the service', async () => {
    const { token } = await scene.invite();
    const body = JSON.stringify({ token });
    const headers = { 'content-type': 'application/json' };
    const anonymous = await fetch(`${world.baseUrl}/api/team/invites/accept`, { method: 'POST', headers, body });
    expect(anonymous.status).toBe(401);
    const zoe = await scene.guest('zoe');
    const path = '/api/team/invites/accept';
    expect((await zoe.send('POST', path, { token }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await zoe.send('POST', path, { token }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await scene.roleOf(zoe)).toBeNull();
  });

  it.each([[undefined], [null], [7], [['sgi_x']], ['x'.repeat(201)]])('needs a token: %j', async (token) => {
    expect((await accept(await scene.guest('zoe'), token)).status).toBe(400);
  });
});

describe('no invite is', () => {
  const SECRET = testEnvironment({}).sessionSecret;
  const signedWith = (key: Parameters<typeof createHmac>[1], signed: string): string =>
    `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  const unknown = refusal(404, 'no such invite');
  const swapped = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

  it('one that was changed anywhere', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    for (const at of [4, 12, 26, 30, 37, 50, token.length - 1]) {
      expect([at, await accept(zoe, swapped(token, at))]).toMatchObject([at, unknown]);
    }
    for (const text of ['', 'sgi_', token.slice(0, -1), `${token}A`, `${token} `, token.replace('sgi_', 'sgk_')]) {
      expect([text, await accept(zoe, text)]).toMatchObject([text, unknown]);
    }
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('one whose signature has other spare bits', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 43 digits carry 258 bits: the last two of them say nothing.
    const twin = token.slice(0, -1) + (alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1] ?? '');
    expect(Buffer.from(twin.split('.')[1] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[1] ?? '', 'base64url'),
    );
    expect(await accept(zoe, twin)).toMatchObject(unknown);
  });

  it('one signed with a key for something else', async () => {
    const zoe = await scene.guest('zoe');
    const [signed = ''] = (await scene.invite()).token.split('.');
    const cookies = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate cookies', 32));
    for (const key of [SECRET, cookies, '', Buffer.alloc(32)]) {
      expect(await accept(zoe, signedWith(key, signed))).toMatchObject(unknown);
    }
    const invites = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate invites', 32));
    expect((await accept(zoe, signedWith(invites, signed))).status).toBe(200);
  });

  it('one of another invite’s signature', async () => {
    const zoe = await scene.guest('zoe');
    const [one, other] = [await scene.invite(), await scene.invite()];
    const mixed = `${one.token.split('.')[0]}.${other.token.split('.')[1]}`;
    expect(await accept(zoe, mixed)).toMatchObject(unknown);
  });

  it('one that was signed and never made', async () => {
    const tokens = world.app.get(InviteTokens);
    const expiresAt = new Date(world.clock.now().getTime() + DAY_MS);
    expect(await accept(await scene.guest('zoe'), tokens.sign({ id: randomUUID(), expiresAt }))).toMatchObject(unknown);
  });

  it('looked up before its signature holds', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    const lookup = jest.spyOn(world.database, 'queryWithoutTenant');
    const looksFor = async (presented: string): Promise<boolean> => {
      lookup.mockClear();
      await accept(zoe, presented);
      return lookup.mock.calls.some(([name]) => name === 'find_workspace_by_invite');
    };
    expect([await looksFor(swapped(token, 60)), await looksFor(token)]).toEqual([false, true]);
    lookup.mockRestore();
  });
});

describe('while the code host', () => {
  it('does not answer, nobody is let in or looked up, and nothing is used up', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    world.github.faults.next({ kind: '5xx', times: 10_000 });
    const answers = [
      await accept(zoe, token),
      await scene.ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(refusal(503, 'Try again'));
      expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(await scene.roleOf(zoe)).toBeNull();
    world.github.faults.clear();
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('has no installation that may speak, neither', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite();
    const [installation] = world.github.world.installations.of(scene.organization);
    installation?.suspend();
    await world.settle();
    expect(await accept(zoe, token)).toMatchObject(refusal(409, 'Ask an owner to install it'));
    expect(await scene.ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' })).toMatchObject(
      refusal(409, 'Ask an owner to install it'),
    );
    expect(await scene.roleOf(zoe)).toBeNull();
  });
});
