import { randomBytes } from 'node:crypto';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_USER_ID } from '../../src/database/database.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { DomainError } from '../../src/http/errors/domain-error.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { ToolsProbe } from './personal-keys/tools-probe.js';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const LIFE = 30 * 24 * 60 * MINUTE;
const INVALID = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
  body: { error: 'The credential is not valid.' },
};

let probe: ToolsProbe;

beforeAll(async () => {
  probe = await ToolsProbe.start();
});
afterAll(() => probe.stop());
beforeEach(() => {
  probe.renewal.requested.length = 0;
  probe.renewal.answer = (known) => ({ ...known, confirmedAt: probe.clock.now(), accessObservedAt: probe.clock.now() });
});

describe('a personal key', () => {
  it('identifies its owner in its workspace, with the role and the access of the owner', async () => {
    const { secret, keyId, owner } = await probe.givenKey({ scope: 'write', role: 'admin' });
    expect(await probe.send(secret)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: {
        kind: 'personal_key',
        user: owner.user,
        orgId: owner.orgId,
        org: 'acme',
        role: 'admin',
        viewer: { orgId: owner.orgId, userId: owner.user.id },
        keyId,
        scope: 'write',
      },
    });
    expect(probe.renewal.requested).toEqual([]);
  });

  it.each([
    ['read', '/probe/look', 200],
    ['read', '/probe/change', 403],
    ['write', '/probe/look', 200],
    ['write', '/probe/change', 201],
  ] as const)('with the scope %s gets from %s the status %d', async (scope, url, status) => {
    const { secret, keyId } = await probe.givenKey({ scope });
    const answer = await probe.send(secret, { url });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      status,
      status === 403 ? 'Bearer realm="shipgate", error="insufficient_scope", scope="write"' : undefined,
    ]);
    expect((await probe.lastUse(keyId)) === null).toBe(status === 403);
  });

  it('is rejected after it was revoked', async () => {
    const { secret, keyId, owner } = await probe.givenKey();
    expect((await probe.send(secret)).status).toBe(200);
    await probe.keys.revoke(owner, keyId);
    expect(await probe.send(secret)).toMatchObject(INVALID);
  });

  it('is rejected 30 days after it was created, to the millisecond', async () => {
    const { secret } = await probe.givenKey();
    probe.clock.advance(LIFE - 1);
    expect((await probe.send(secret)).status).toBe(200);
    probe.clock.advance(1);
    expect(await probe.send(secret)).toMatchObject(INVALID);
  });

  it('is rejected after its owner was removed from the workspace', async () => {
    const { secret, owner } = await probe.givenKey();
    await probe.asSuperuser(`delete from member where person = ${owner.user.id}`);
    expect(await probe.send(secret)).toMatchObject(INVALID);
    expect(probe.renewal.requested).toEqual([]);
  });

  it('is rejected after the organization removed the app', async () => {
    const { secret, owner } = await probe.givenKey();
    await probe.asSuperuser(`update organization set installation_id = null where org_id = '${owner.orgId}'`);
    expect(await probe.send(secret)).toMatchObject(INVALID);
  });

  it('gives access only to its own workspace, whichever others its owner has', async () => {
    const { secret, owner } = await probe.givenKey();
    const { owner: another } = await probe.givenKey();
    await probe.asSuperuser(
      `insert into member (org_id, person, role, joined_at, confirmed_at)
       values ('${another.orgId}', ${owner.user.id}, 'admin', now(), now())`,
    );
    expect((await probe.send(secret)).body).toMatchObject({ orgId: owner.orgId, role: 'member' });
  });

  it.each<[string, (secret: string) => string]>([
    ['was never issued', () => keySecret('sgp', randomBytes(32))],
    ['is mistyped', (secret) => secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')],
    ['is cut short', (secret) => secret.slice(0, -1)],
    ['is only its prefix', (secret) => secret.slice(0, 10)],
    ['is in upper case', (secret) => secret.toUpperCase()],
    ['bears the prefix of CI', (secret) => secret.replace('sgp', 'sgk')],
    ['is an identity token', () => 'e30.e30.c2ln'],
  ])('that %s is rejected', async (_, change) => {
    const { secret } = await probe.givenKey({ scope: 'write' });
    for (const url of ['/probe/look', '/probe/change']) {
      expect(await probe.send(change(secret), { url })).toMatchObject(INVALID);
    }
  });

  it('is rejected by routes for CI or sessions, and an API key by routes for remote tools', async () => {
    const { secret, owner } = await probe.givenKey({ scope: 'write', role: 'admin' });
    const apiKey = await probe.givenApiKey(owner.orgId);
    expect((await probe.send(apiKey, { url: '/probe/gate' })).status).toBe(200);
    expect(await probe.send(apiKey)).toMatchObject(INVALID);
    expect(await probe.send(secret, { url: '/probe/gate' })).toMatchObject(INVALID);
    expect(await probe.send(secret, { url: '/probe/page' })).toMatchObject({
      status: 401,
      body: { error: 'This needs a session.' },
    });
  });

  it('is requested by a challenge if it is missing', async () => {
    expect(await probe.send(null)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="shipgate"' },
      body: { error: 'This needs a personal key as a bearer credential.' },
    });
  });

  it('is rejected together with another credential', async () => {
    const { secret } = await probe.givenKey();
    await probe.app.listen(0, '127.0.0.1');
    const { port } = probe.app.getHttpServer().address() as AddressInfo;
    const statusOf = (...lines: readonly string[]): Promise<number> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(
            `GET /probe/look HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
          );
        });
        socket.once('error', reject);
        socket.once('data', (data: Buffer) => {
          socket.destroy();
          resolve(Number(data.toString('latin1').split(' ')[1]));
        });
      });
    const field = `Authorization: Bearer ${secret}`;
    expect(await statusOf(field)).toBe(200);
    expect(await statusOf(field, field)).toBe(401);
    expect(await statusOf(field, 'authorization: Bearer e30.e30.c2ln')).toBe(401);
  });
});

describe('the membership behind a personal key', () => {
  it('is checked again when the last check is a quarter of an hour old', async () => {
    const { secret, owner } = await probe.givenKey({ role: 'admin' });
    probe.clock.advance(QUARTER - 1);
    expect((await probe.send(secret)).status).toBe(200);
    expect(probe.renewal.requested).toEqual([]);
    probe.clock.advance(1);
    probe.renewal.answer = (known) => ({
      ...known,
      role: 'member',
      confirmedAt: probe.clock.now(),
      accessObservedAt: probe.clock.now(),
    });
    expect(await probe.send(secret)).toMatchObject({ status: 200, body: { role: 'member' } });
    expect(probe.renewal.requested).toEqual([owner.user.id]);
  });

  it('gives no access after the owner has left the organization', async () => {
    const { secret, keyId } = await probe.givenKey();
    probe.clock.advance(QUARTER);
    probe.renewal.answer = () => null;
    expect(await probe.send(secret)).toMatchObject(INVALID);
    expect(await probe.lastUse(keyId)).toBeNull();
  });

  it('gives no access while it cannot be checked, which is not counted as a failed credential', async () => {
    const { secret } = await probe.givenKey();
    probe.clock.advance(QUARTER);
    probe.renewal.answer = () => {
      throw new DomainError('unavailable', 'The membership cannot be checked now.', { retryAfterSeconds: 30 });
    };
    expect(await probe.send(secret)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
  });

  it('hides private repositories while the access of the owner is unknown', async () => {
    const { secret, owner } = await probe.givenKey();
    probe.clock.advance(QUARTER);
    probe.renewal.answer = (known) => ({ ...known, confirmedAt: probe.clock.now() });
    expect((await probe.send(secret)).body).toMatchObject({ viewer: { orgId: owner.orgId, userId: NO_USER_ID } });
  });
});

describe('the use of a personal key', () => {
  it('is recorded at most once a minute', async () => {
    const { secret, keyId, owner } = await probe.givenKey();
    expect(await probe.lastUse(keyId)).toBeNull();
    const first = probe.clock.now();
    await Promise.all(Array.from({ length: 5 }, () => probe.send(secret)));
    expect(await probe.lastUse(keyId)).toEqual(first);
    probe.clock.advance(MINUTE - 1);
    await probe.send(secret);
    expect(await probe.lastUse(keyId)).toEqual(first);
    probe.clock.advance(1);
    await probe.send(secret);
    expect(await probe.lastUse(keyId)).toEqual(probe.clock.now());
    expect((await probe.keys.list(owner))[0]?.lastUsedAt).toEqual(probe.clock.now());
  });
});

describe('the rate limits of personal keys', () => {
  let limited: ToolsProbe;

  beforeAll(async () => {
    limited = await ToolsProbe.start({ RATE_LIMITS: 'on' });
    await givenLongWindows(limited.testDatabase);
  });
  afterAll(() => limited.stop());

  it('reject invalid keys, and no valid key from the same address', async () => {
    const { secret } = await limited.givenKey();
    const guess = (): Promise<{ status: number }> =>
      limited.send(keySecret('sgp', randomBytes(32)), { remoteAddress: '192.0.2.66' });
    for (let guesses = 0; guesses < 30; guesses += 1) expect((await guess()).status).toBe(401);
    expect(await guess()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    expect((await limited.send(secret, { remoteAddress: '192.0.2.66' })).status).toBe(200);
  });

  it('apply to the user, whichever address and key they use', async () => {
    const { secret, owner } = await limited.givenKey();
    const { key: another } = await limited.keys.create(owner, { name: 'agent', scope: 'write' });
    const send = async (at: number): Promise<number> => {
      const remoteAddress = `203.0.113.${at % 250}`;
      return (await limited.send(at % 2 === 0 ? secret : another, { remoteAddress })).status;
    };
    const statuses: number[] = [];
    // All at once would also test the limit of waiting requests: on a busy machine some would get 503.
    for (let first = 0; first < 320; first += 20)
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, at) => send(first + at)))));
    expect(statuses.filter((status) => status === 200)).toHaveLength(300);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});
