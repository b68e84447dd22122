import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyUsageRepository } from '../../src/auth/key-usage.repository.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import type { NewApiKey } from '../../src/features/keys/api-keys.service.js';
import { ACME, AccessProbe, operator, OTHER, stored } from './ci-auth/access-probe.js';

const MINUTE = 60_000;
const INVALID = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
  body: { error: 'The credential is not valid.' },
};

let probe: AccessProbe;

beforeAll(async () => {
  probe = await AccessProbe.start();
});
afterAll(() => probe.stop());
beforeEach(() => {
  stored.length = 0;
});

describe('an API key', () => {
  it('identifies its workspace and its scopes', async () => {
    const { secret, key } = await probe.givenKey({ scopes: ['evidence:write'] });
    expect(await probe.send({ bearer: secret })).toMatchObject({
      status: 201,
      body: { kind: 'api_key', orgId: ACME.orgId, keyId: key.id, scopes: ['evidence:write'], repositoryIds: null },
    });
  });

  it.each([
    ['evidence:write', '/probe/upload', 201],
    ['evidence:write', '/probe/gate', 403],
    ['evidence:write', '/probe/gate-in-hand', 403],
    ['gate:read', '/probe/upload', 403],
    ['gate:read', '/probe/gate', 200],
    ['gate:read', '/probe/gate-in-hand', 200],
  ] as const)('with the scope %s gets from %s the status %d', async (scope, url, status) => {
    const { secret } = await probe.givenKey({ scopes: [scope] });
    const response = await probe.send({ url, bearer: secret });
    expect(response.status).toBe(status);
    expect(response.headers['www-authenticate'] ?? '').toMatch(status === 403 ? /error="insufficient_scope"/ : /^$/);
    expect(stored).toHaveLength(status === 201 ? 1 : 0);
  });

  it.each(['/probe/upload', '/probe/gate-in-hand'])('is rejected at %s after it was revoked', async (url) => {
    const { secret, key } = await probe.givenKey();
    expect((await probe.send({ url, bearer: secret })).status).toBeLessThan(300);
    await probe.keys.revoke(operator(), key.id);
    expect(await probe.send({ url, bearer: secret })).toMatchObject(INVALID);
  });

  it.each(['/probe/upload', '/probe/gate-in-hand'])('is rejected at %s at the moment it expires', async (url) => {
    const { secret } = await probe.givenKey({ expiresAt: new Date(probe.clock.now().getTime() + MINUTE) });
    probe.clock.advance(MINUTE - 1);
    expect((await probe.send({ url, bearer: secret })).status).toBeLessThan(300);
    probe.clock.advance(1);
    expect(await probe.send({ url, bearer: secret })).toMatchObject(INVALID);
  });

  it.each<[string, (secret: string) => string]>([
    ['was never issued', () => keySecret('sgk', randomBytes(32))],
    ['is a person’s', () => keySecret('sgp', randomBytes(32))],
    ['is mistyped', (secret) => secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')],
    ['is cut short', (secret) => secret.slice(0, -1)],
    ['is only its prefix', (secret) => secret.slice(0, 10)],
    ['is in upper case', (secret) => secret.toUpperCase()],
  ])('that %s is rejected', async (_, change) => {
    const { secret } = await probe.givenKey();
    for (const url of ['/probe/upload', '/probe/gate', '/probe/gate-in-hand']) {
      expect(await probe.send({ url, bearer: change(secret) })).toMatchObject(INVALID);
    }
    expect(stored).toEqual([]);
  });

  it('records its use at most once a minute', async () => {
    const { secret, key } = await probe.givenKey();
    const lastUse = async (): Promise<Date | null | undefined> => {
      await probe.app.get(KeyUsageRepository, { strict: false }).flush();
      return (await probe.keys.list(operator())).find(({ id }) => id === key.id)?.lastUsedAt;
    };
    expect(await lastUse()).toBeNull();
    const first = probe.clock.now();
    await Promise.all(Array.from({ length: 5 }, () => probe.send({ bearer: secret })));
    expect(await lastUse()).toEqual(first);
    probe.clock.advance(MINUTE - 1);
    await probe.send({ bearer: secret });
    expect(await lastUse()).toEqual(first);
    probe.clock.advance(1);
    await probe.send({ url: '/probe/gate-in-hand', bearer: secret });
    expect(await lastUse()).toEqual(probe.clock.now());
  });
});

describe('the keys of a workspace', () => {
  it('are listed without their secrets, only to their own workspace', async () => {
    const orgId = OTHER.orgId;
    const { secret, key } = await probe.givenKey(
      { name: ' Build farm ', scopes: ['gate:read', 'evidence:write'] },
      orgId,
    );
    expect(key).toMatchObject({ name: 'Build farm', prefix: secret.slice(0, 10), lastUsedAt: null });
    expect(await probe.keys.list(operator(orgId))).toEqual([key]);
    expect(JSON.stringify(await probe.keys.list(operator(orgId)))).not.toContain(secret.slice(10));
    expect((await probe.keys.list(operator())).map(({ id }) => id)).not.toContain(key.id);
    await expect(probe.keys.revoke(operator(), key.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await probe.send({ url: '/probe/gate', bearer: secret })).body).toMatchObject({ orgId });
  });

  it('are revoked once and then not listed', async () => {
    const { key } = await probe.givenKey();
    await probe.keys.revoke(operator(), key.id);
    expect((await probe.keys.list(operator())).map(({ id }) => id)).not.toContain(key.id);
    await expect(probe.keys.revoke(operator(), key.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(probe.keys.revoke(operator(), 'no id')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be restricted to repositories of the workspace', async () => {
    const own = await probe.givenRepository(ACME.orgId);
    const foreign = await probe.givenRepository(OTHER.orgId);
    const { secret } = await probe.givenKey({ repos: [own, own.toUpperCase()] });
    expect((await probe.send({ bearer: secret })).body).toMatchObject({ repositoryIds: [own] });
    for (const repos of [[foreign], [own, foreign], [randomUUID()], ['no-such-repository']]) {
      await expect(probe.givenKey({ repos })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it.each<[string, () => Partial<NewApiKey>]>([
    ['no name', () => ({ name: ' ' })],
    ['a name of 101 characters', () => ({ name: 'x'.repeat(101) })],
    ['NUL in its name', () => ({ name: 'a\u0000' })],
    ['a lone surrogate in its name', () => ({ name: 'a\ud800' })],
    ['no scope', () => ({ scopes: [] })],
    ['another scope', () => ({ scopes: ['admin'] as unknown as NewApiKey['scopes'] })],
    ['no repository', () => ({ repos: [] })],
    ['an end that is now', () => ({ expiresAt: probe.clock.now() })],
    ['an end that is no time', () => ({ expiresAt: new Date('soon') })],
  ])('are not created with %s', async (_, order) => {
    const before = await probe.keys.list(operator());
    await expect(probe.givenKey(order())).rejects.toMatchObject({ code: 'invalid' });
    expect(await probe.keys.list(operator())).toEqual(before);
  });
});
