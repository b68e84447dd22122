import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InviteTokens } from '../../src/features/team/invite-tokens.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { type JsonAnswer, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { accept, InviteScenario, preview, rejection, revoke } from './scenarios/invite-scenario.js';
import { auditOf } from './scenarios/members.js';

const DAY_MS = 24 * 3_600_000;

let env: TestEnvironment;
let scenario: InviteScenario;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(async () => {
  expect(env.violations).toEqual([]);
  await env.stop();
});
beforeEach(async () => {
  env.github.faults.clear();
  scenario = await InviteScenario.found(env);
});

const counted = (answers: readonly JsonAnswer[]): object =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))].map((status) => [
      status,
      answers.filter((answer) => answer.status === status).length,
    ]),
  );

describe('the preview of an invite', () => {
  it('names the workspace and the role to a user who can accept it, and leaves the invite as it is', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite({ role: 'admin' });
    const shown = { status: 200, body: { org: scenario.organization.login, role: 'admin' } };
    expect([await preview(zoe, token), await preview(zoe, token)]).toMatchObject([shown, shown]);
    expect(await scenario.roleOf(zoe)).toBeNull();
    expect(await accept(zoe, token)).toMatchObject({ status: 200 });
  });

  it('says nothing about the workspace to any other user', async () => {
    const [zoe, mallory] = [await scenario.guest('zoe'), await scenario.guest('mallory')];
    const { token, id } = await scenario.invite({ login: zoe.user.login, role: 'member' });
    const forOther = await preview(mallory, token);
    expect(forOther).toMatchObject(rejection(403, 'another user'));
    expect(JSON.stringify(forOther.body)).not.toContain(scenario.organization.login);
    expect(await preview(zoe, 'sgi_unknown')).toMatchObject(rejection(404, 'no such invite'));
    await revoke(scenario.ada, id);
    expect(await preview(zoe, token)).toMatchObject({ status: 410 });
  });
});

describe('accepting an invite', () => {
  it('makes the user an auditor at once if the invite says so, and records who offered it', async () => {
    const zoe = await scenario.guest('zoe');
    const { token, id } = await scenario.invite({ role: 'member', auditor: true });
    expect(await scenario.waiting()).toMatchObject([{ id, role: 'member', auditor: true }]);
    expect((await preview(zoe, token)).body).toEqual({
      org: scenario.organization.login,
      role: 'member',
      auditor: true,
    });
    expect(await accept(zoe, token)).toMatchObject({ status: 200 });
    expect((await zoe.get('/api/audit/head')).status).toBe(200);
    const { entries } = (await scenario.ada.get('/api/audit')).body as {
      readonly entries: readonly { readonly action: string }[];
    };
    expect(entries.find(({ action }) => action === 'invite.created')).toMatchObject({ data: { auditor: true } });
    expect(entries.find(({ action }) => action === 'member.auditor_granted')).toMatchObject({
      actor: { login: zoe.user.login },
      data: { userId: zoe.user.id, reason: 'invite', inviteId: id, createdBy: scenario.ada.user.id },
    });
  });

  it('makes the user no auditor without that', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    await accept(zoe, token);
    expect((await zoe.get('/api/audit/head')).status).toBe(403);
    expect(await scenario.invite({ role: 'member', auditor: null }).catch(String)).toContain('no invite: 400');
  });

  it('works once when twenty users try at once', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, n) => scenario.guest(`p${n}`)));
    const { token } = await scenario.invite();
    expect(counted(await Promise.all(users.map((user) => accept(user, token))))).toEqual({ 200: 1, 410: 19 });
    const members = await env.database.inTenant(scenario.orgId, (tx) => tx.query('select from member'));
    expect(members).toHaveLength(2);
    expect((await auditOf(env, scenario.orgId)).filter((entry) => entry.startsWith('invite.accepted'))).toHaveLength(1);
  });

  it('works once when one user tries twenty times at once', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(zoe, token)));
    expect(counted(answers)).toEqual({ 200: 1, 409: 19 });
    expect((await auditOf(env, scenario.orgId)).filter((entry) => entry.startsWith('member.joined'))).toHaveLength(1);
  });

  it('uses one of two invites that a user accepts at once', async () => {
    const zoe = await scenario.guest('zoe');
    const [one, other] = [await scenario.invite(), await scenario.invite()];
    const answers = await Promise.all([accept(zoe, one.token), accept(zoe, other.token)]);
    expect([counted(answers), (await scenario.waiting()).length]).toEqual([{ 200: 1, 409: 1 }, 1]);
  });

  it('is answered with the existing membership for a member', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    await accept(zoe, token);
    expect(await accept(zoe, token)).toMatchObject(rejection(409, `member of ${scenario.organization.login} already`));
    expect(await accept(scenario.ada, (await scenario.invite()).token)).toMatchObject(rejection(409, 'already'));
    expect(await scenario.waiting()).toHaveLength(1);
  });

  it('is rejected outside the organization, and the invite remains usable', async () => {
    const outsider = await signIn(env, env.github.createUser({ login: `out-${scenario.number}` }), { role: null });
    const { token } = await scenario.invite({ login: outsider.user.login, role: 'member' });
    expect(await accept(outsider, token)).toMatchObject(rejection(403, 'do not belong to the organization'));
    expect(await scenario.roleOf(outsider)).toBeNull();
    scenario.joins(outsider.user);
    // A negative answer is cached for ten seconds.
    env.clock.advance(11_000);
    expect((await accept(outsider, token)).status).toBe(200);
  });

  it('requires a session and a page of the service', async () => {
    const { token } = await scenario.invite();
    const body = JSON.stringify({ token });
    const headers = { 'content-type': 'application/json' };
    const anonymous = await fetch(`${env.baseUrl}/api/team/invites/accept`, { method: 'POST', headers, body });
    expect(anonymous.status).toBe(401);
    const zoe = await scenario.guest('zoe');
    const path = '/api/team/invites/accept';
    expect((await zoe.send('POST', path, { token }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await zoe.send('POST', path, { token }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await scenario.roleOf(zoe)).toBeNull();
  });

  it.each([[undefined], [null], [7], [['sgi_x']], ['x'.repeat(201)]])('requires a token: %j', async (token) => {
    expect((await accept(await scenario.guest('zoe'), token)).status).toBe(400);
  });
});

describe('an invalid invite is', () => {
  const SECRET = readTestEnvironment({}).sessionSecret;
  const signedWith = (key: Parameters<typeof createHmac>[1], signed: string): string =>
    `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  const unknown = rejection(404, 'no such invite');
  const swapped = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

  it('an invite that was changed anywhere', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    for (const at of [4, 12, 26, 30, 37, 50, token.length - 1]) {
      expect([at, await accept(zoe, swapped(token, at))]).toMatchObject([at, unknown]);
    }
    for (const text of ['', 'sgi_', token.slice(0, -1), `${token}A`, `${token} `, token.replace('sgi_', 'sgk_')]) {
      expect([text, await accept(zoe, text)]).toMatchObject([text, unknown]);
    }
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('an invite whose signature has other spare bits', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 43 digits have 258 bits, and the last two are unused.
    const twin = token.slice(0, -1) + (alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1] ?? '');
    expect(Buffer.from(twin.split('.')[1] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[1] ?? '', 'base64url'),
    );
    expect(await accept(zoe, twin)).toMatchObject(unknown);
  });

  it('an invite that is signed with a key for another purpose', async () => {
    const zoe = await scenario.guest('zoe');
    const [signed = ''] = (await scenario.invite()).token.split('.');
    const cookies = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate cookies', 32));
    for (const key of [SECRET, cookies, '', Buffer.alloc(32)]) {
      expect(await accept(zoe, signedWith(key, signed))).toMatchObject(unknown);
    }
    const invites = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate invites', 32));
    expect((await accept(zoe, signedWith(invites, signed))).status).toBe(200);
  });

  it('an invite with the signature of another', async () => {
    const zoe = await scenario.guest('zoe');
    const [one, other] = [await scenario.invite(), await scenario.invite()];
    const mixed = `${one.token.split('.')[0]}.${other.token.split('.')[1]}`;
    expect(await accept(zoe, mixed)).toMatchObject(unknown);
  });

  it('an invite that was signed and never created', async () => {
    const tokens = env.app.get(InviteTokens);
    const expiresAt = new Date(env.clock.now().getTime() + DAY_MS);
    expect(await accept(await scenario.guest('zoe'), tokens.sign({ id: randomUUID(), expiresAt }))).toMatchObject(
      unknown,
    );
  });

  it('not queried before its signature is verified', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    const lookup = jest.spyOn(env.database, 'queryWithoutTenant');
    const isFound = async (presented: string): Promise<boolean> => {
      lookup.mockClear();
      await accept(zoe, presented);
      return lookup.mock.calls.some(([name]) => name === 'find_workspace_by_invite');
    };
    expect([await isFound(swapped(token, 60)), await isFound(token)]).toEqual([false, true]);
    lookup.mockRestore();
  });
});

describe('while GitHub', () => {
  it('does not answer, no user joins or is looked up, and no invite is used', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    env.github.faults.next({ kind: '5xx', times: 10_000 });
    const answers = [
      await accept(zoe, token),
      await scenario.ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(rejection(503, 'Try again'));
      expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(await scenario.roleOf(zoe)).toBeNull();
    env.github.faults.clear();
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('has no active installation, the result is the same', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite();
    const [installation] = env.github.state.installations.of(scenario.organization);
    installation?.suspend();
    await env.waitUntilIdle();
    expect(await accept(zoe, token)).toMatchObject(rejection(409, 'Ask an owner to install it'));
    expect(
      await scenario.ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' }),
    ).toMatchObject(rejection(409, 'Ask an owner to install it'));
    expect(await scenario.roleOf(zoe)).toBeNull();
  });
});
