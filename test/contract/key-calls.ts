import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const API_KEY = { name: 'Jenkins', scopes: ['evidence:write'], expiresAt: '2099-01-01T00:00:00Z' };
const PERSONAL_KEY = { name: 'editor', scope: 'read' };
const READING = ['listApiKeys', 'listPersonalKeys'] as const;
const CREATE_OPERATIONS = ['createApiKey', 'createPersonalKey'] as const;
const REVOKING = [
  ['revokeApiKey', '/api/settings/api-keys'],
  ['revokePersonalKey', '/api/settings/mcp-keys'],
] as const;

/** A request from a page of the service. */
type FromPage = Call & { readonly of: BuiltService; readonly headers: Readonly<Record<string, string>> };

/** Provokes every documented response about API keys and personal keys. */
export async function callKeys(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const signedIn = async (role: 'admin' | 'member' | null): Promise<FromPage> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [admin, member, outsider] = await Promise.all((['admin', 'member', null] as const).map(signedIn));
  if (!admin || !member || !outsider) throw new TypeError('A caller is missing.');

  expect(await call('createApiKey', { ...admin, body: API_KEY })).toBe(201);
  expect(await call('createApiKey', { ...member, body: API_KEY })).toBe(403);
  expect(await call('createApiKey', { ...admin, body: { ...API_KEY, repos: ['elsewhere'] } })).toBe(404);
  for (let key = 0; key < 10; key += 1) {
    expect(await call('createPersonalKey', { ...admin, body: PERSONAL_KEY })).toBe(201);
  }
  expect(await call('createPersonalKey', { ...admin, body: PERSONAL_KEY })).toBe(409);
  expect(await call('createPersonalKey', { ...outsider, body: PERSONAL_KEY })).toBe(403);
  for (const operationId of READING) {
    expect(await call(operationId, admin)).toBe(200);
    expect(await call(operationId, { ...admin, query: NUL })).toBe(400);
    expect(await call(operationId, { of })).toBe(401);
    expect(await call(operationId, outsider)).toBe(403);
  }
  for (const operationId of CREATE_OPERATIONS) {
    expect(await call(operationId, { ...admin, body: { name: '' } })).toBe(400);
    expect(await call(operationId, { of, body: PERSONAL_KEY })).toBe(401);
    await callWithOddBodies(call, operationId, admin);
  }
  for (const [operationId, list] of REVOKING) {
    const path = { id: await firstOf(list, admin) };
    expect(await call(operationId, { ...admin, path, query: NUL })).toBe(400);
    expect(await call(operationId, { of, path })).toBe(401);
    expect(await call(operationId, { ...outsider, path })).toBe(403);
    expect(await call(operationId, { ...admin, path: { id: randomUUID() } })).toBe(404);
    await callWithOddBodies(call, operationId, admin);
    expect(await call(operationId, { ...admin, path })).toBe(204);
  }
  await callUntilFull(call, await signedIn('admin'));
}

/** Creates API keys until the limit of 100 for a workspace. */
async function callUntilFull(call: CallOperation, admin: FromPage): Promise<void> {
  let status = 201;
  for (let created = 0; created <= 100 && status === 201; created += 1) {
    status = await call('createApiKey', { ...admin, body: API_KEY });
  }
  expect(status).toBe(409);
}

async function firstOf(list: string, { of, headers }: FromPage): Promise<string> {
  const response = await fetch(of.url + list, { headers });
  const { keys } = (await response.json()) as { readonly keys: readonly { readonly id: string }[] };
  return keys[0]?.id ?? '';
}

async function callWithOddBodies(call: CallOperation, operationId: string, page: FromPage): Promise<void> {
  const path = { id: randomUUID() };
  expect(await call(operationId, { ...page, path, body: DEEP })).toBe(413);
  const headers = { ...page.headers, 'content-type': 'application/xml' };
  expect(await call(operationId, { ...page, headers, path, body: '<a/>' })).toBe(415);
}

export async function callKeysWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const page = { of, headers: { cookie, origin: PUBLIC_URL } };
  for (const operationId of READING) expect(await call(operationId, page)).toBe(503);
  expect(await call('createApiKey', { ...page, body: API_KEY })).toBe(503);
  expect(await call('createPersonalKey', { ...page, body: PERSONAL_KEY })).toBe(503);
  for (const [operationId] of REVOKING) {
    expect(await call(operationId, { ...page, path: { id: randomUUID() } })).toBe(503);
  }
}
