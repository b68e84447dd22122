import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession, PLATFORM_ADMIN } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;

const OF_WORKSPACE = { getPlan: undefined, requestUpgrade: { note: 'PO 4711' }, withdrawUpgradeRequest: undefined };
const OF_PLATFORM = {
  listUpgradeRequests: undefined,
  listWorkspaceUsage: undefined,
  approveUpgradeRequest: { paymentReference: 'INV-1' },
  rejectUpgradeRequest: { reason: 'not paid' },
  downgradeWorkspace: { reason: 'payment returned' },
};
const READING = ['getPlan', 'listUpgradeRequests', 'listWorkspaceUsage'];
/** The workspace of all calls. */
const ORG = { org: 'acme' };

/** A request from a page of the service. */
type FromPage = Call & { readonly of: BuiltService; readonly headers: Readonly<Record<string, string>> };

const asPage = (of: BuiltService, cookie: string): FromPage => ({ of, headers: { cookie, origin: PUBLIC_URL } });

/** Provokes every documented response about the plan of a workspace, for its members and for platform admins. */
export async function callBilling(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const admin = asPage(of, await givenSession(database, 'admin'));
  const outsider = asPage(of, await givenSession(database, null));
  const operator = asPage(of, await givenSession(database, null, PLATFORM_ADMIN));

  expect(await call('getPlan', admin)).toBe(200);
  expect(await call('requestUpgrade', { ...admin, body: {} })).toBe(201);
  expect(await call('requestUpgrade', { ...admin, body: {} })).toBe(409);
  const path = { id: await openRequest(operator) };
  expect(await call('withdrawUpgradeRequest', { ...admin, path })).toBe(204);
  expect(await call('withdrawUpgradeRequest', { ...admin, path })).toBe(409);
  expect(await call('withdrawUpgradeRequest', { ...admin, path: { id: randomUUID() } })).toBe(404);
  await callPlatform(call, admin, operator);

  await callBadly(call, { operations: OF_WORKSPACE, allowed: admin, refused: outsider });
  await callBadly(call, { operations: OF_PLATFORM, allowed: operator, refused: admin });
}

async function callPlatform(call: CallOperation, admin: FromPage, operator: FromPage): Promise<void> {
  const { approveUpgradeRequest: approval, rejectUpgradeRequest: rejection } = OF_PLATFORM;
  const reason = OF_PLATFORM.downgradeWorkspace;
  expect(await call('listWorkspaceUsage', { ...operator, query: { search: 'acme' } })).toBe(200);
  for (const [operationId, body] of [
    ['rejectUpgradeRequest', rejection],
    ['approveUpgradeRequest', approval],
  ] as const) {
    expect(await call('requestUpgrade', { ...admin, body: { note: 'PO 4711' } })).toBe(201);
    for (const page of [{}, { page: '1' }]) {
      expect(await call('listUpgradeRequests', { ...operator, query: { status: 'open', ...page } })).toBe(200);
    }
    const path = { id: await openRequest(operator) };
    expect(await call(operationId, { ...operator, path, body })).toBe(200);
    expect(await call(operationId, { ...operator, path, body })).toBe(409);
    expect(await call(operationId, { ...operator, path: { id: randomUUID() }, body })).toBe(404);
  }
  expect(await call('getPlan', admin)).toBe(200);
  expect(await call('downgradeWorkspace', { ...operator, path: ORG, body: reason })).toBe(200);
  expect(await call('downgradeWorkspace', { ...operator, path: ORG, body: reason })).toBe(409);
  expect(await call('downgradeWorkspace', { ...operator, path: { org: 'nobody' }, body: reason })).toBe(404);
}

async function openRequest({ of, headers }: FromPage): Promise<string> {
  const response = await fetch(`${of.url}/api/platform/upgrade-requests?status=open`, { headers });
  const { requests } = (await response.json()) as { readonly requests: readonly { readonly id: string }[] };
  return requests[0]?.id ?? '';
}

async function callBadly(
  call: CallOperation,
  {
    operations,
    allowed,
    refused,
  }: { readonly operations: object; readonly allowed: FromPage; readonly refused: FromPage },
): Promise<void> {
  const path = { id: randomUUID(), ...ORG };
  for (const [operationId, body] of Object.entries(operations) as readonly (readonly [string, unknown])[]) {
    const request = { path, ...(body !== undefined && { body }) };
    expect(await call(operationId, { ...allowed, ...request, query: NUL })).toBe(400);
    expect(await call(operationId, { of: allowed.of, ...request })).toBe(401);
    expect(await call(operationId, { ...refused, ...request })).toBe(403);
    if (READING.includes(operationId)) continue;
    expect(await call(operationId, { ...allowed, path, body: DEEP })).toBe(413);
    const headers = { ...allowed.headers, 'content-type': 'application/xml' };
    expect(await call(operationId, { ...allowed, headers, path, body: '<a/>' })).toBe(415);
  }
}

export async function callBillingWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const page = { ...asPage(of, cookie), path: { id: randomUUID(), ...ORG } };
  const operations: object = { ...OF_WORKSPACE, ...OF_PLATFORM };
  for (const [operationId, body] of Object.entries(operations) as readonly (readonly [string, unknown])[]) {
    expect(await call(operationId, { ...page, ...(body !== undefined && { body }) })).toBe(503);
  }
}
