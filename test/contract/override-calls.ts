import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import { CANDIDATE, sha } from '../support/given-facts.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenOverridable } from './given-overridable.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const MAX_FREEZES = 100;
const MAX_REQUESTS = 10;
const FREEZE = { from: '2099-12-20', to: '2099-12-31', reason: 'year end' };
const GLASS = { sha: CANDIDATE, reason: 'all is down' };
const waiver = (condition = 'issue_open'): object => ({
  condition,
  reason: 'it can wait',
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
});
const LISTS = ['listFreezes', 'listOverrides', 'listWaivers', 'listBreakGlassRequests'] as const;
const CHANGES: Readonly<Record<string, object | undefined>> = {
  createFreeze: FREEZE,
  liftFreeze: undefined,
  requestWaiver: waiver(),
  confirmWaiver: undefined,
  withdrawWaiver: undefined,
  requestBreakGlass: GLASS,
  confirmPendingBreakGlass: undefined,
  confirmBreakGlass: undefined,
  withdrawBreakGlass: undefined,
};
const NOWHERE = { id: randomUUID(), waiverId: randomUUID(), requestId: randomUUID() };

/** A request from a page of the service, by one user. */
type FromPage = Call & { readonly of: BuiltService; readonly headers: Readonly<Record<string, string>> };

const asPage = (of: BuiltService, cookie: string): FromPage => ({ of, headers: { cookie, origin: PUBLIC_URL } });

/** Creates an object as a page does. Returns its id. */
async function create({ of, headers }: FromPage, path: string, body: object): Promise<string> {
  const response = await fetch(`${of.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { readonly id: string }).id;
}

/** Provokes every documented response about freezes, waivers and break-glass. */
export async function callOverrides(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'admin' | 'member' | null): Promise<FromPage> =>
    asPage(of, await givenSession(database, role));
  const [ada, bob, mia, outsider] = [
    await session('admin'),
    await session('admin'),
    await session('member'),
    await session(null),
  ];
  const id = await givenOverridable(database);
  await callFreezes(call, ada);
  await callWaivers(call, { ada, bob, id });
  await callBreakGlass(call, { ada, bob, id });
  await callList(call, mia);
  await withDedicatedClient(database.superuserUrl, async (client) => {
    for (const table of ['deployment_freeze', 'waiver', 'break_glass_request'])
      await client.query(`delete from ${table}`);
  });
  await callBadly(call, { ada, mia, outsider, id });
}

async function callFreezes(call: CallOperation, ada: FromPage): Promise<void> {
  const id = await create(ada, '/api/freezes', FREEZE);
  expect(await call('listFreezes', ada)).toBe(200);
  expect(await call('liftFreeze', { ...ada, path: { id } })).toBe(204);
  expect(await call('liftFreeze', { ...ada, path: { id } })).toBe(404);
  for (let freezes = 0; freezes < MAX_FREEZES; freezes += 1) {
    expect(await call('createFreeze', { ...ada, body: FREEZE })).toBe(201);
  }
  expect(await call('createFreeze', { ...ada, body: FREEZE })).toBe(409);
}

interface GivenRequest {
  readonly ada: FromPage;
  readonly bob: FromPage;
  readonly id: string;
}

async function callWaivers(call: CallOperation, { ada, bob, id }: GivenRequest): Promise<void> {
  const request = (body: object) => call('requestWaiver', { ...ada, path: { id }, body });
  expect(await request(waiver())).toBe(201);
  expect(await request(waiver('check_failing'))).toBe(409);
  expect(await request(waiver('tampered'))).toBe(422);
  const waiverId = await create(ada, `/api/milestones/${id}/waivers`, waiver());
  const path = { id, waiverId };
  expect(await call('listWaivers', { ...bob, path })).toBe(200);
  expect(await call('confirmWaiver', { ...ada, path })).toBe(403);
  expect(await call('confirmWaiver', { ...bob, path })).toBe(200);
  expect(await call('confirmWaiver', { ...bob, path })).toBe(409);
  expect(await call('withdrawWaiver', { ...bob, path })).toBe(204);
  expect(await call('withdrawWaiver', { ...bob, path })).toBe(404);
  expect(await call('confirmWaiver', { ...bob, path })).toBe(404);
}

async function callBreakGlass(call: CallOperation, { ada, bob, id }: GivenRequest): Promise<void> {
  const confirmOnly = (by: FromPage) => call('confirmPendingBreakGlass', { ...by, path: { id } });
  const request = (body: object) => call('requestBreakGlass', { ...ada, path: { id }, body });
  expect(await confirmOnly(bob)).toBe(404);
  expect(await request(GLASS)).toBe(201);
  expect(await confirmOnly(ada)).toBe(403);
  expect(await confirmOnly(bob)).toBe(200);
  expect(await request({ ...GLASS, sha: sha('b') })).toBe(409);
  const requestId = await create(ada, `/api/milestones/${id}/break-glass`, GLASS);
  const path = { id, requestId };
  expect(await call('listBreakGlassRequests', { ...bob, path })).toBe(200);
  expect(await call('confirmBreakGlass', { ...ada, path })).toBe(403);
  expect(await call('confirmBreakGlass', { ...bob, path })).toBe(200);
  expect(await call('confirmBreakGlass', { ...bob, path })).toBe(409);
  expect(await call('withdrawBreakGlass', { ...bob, path })).toBe(204);
  expect(await call('withdrawBreakGlass', { ...bob, path })).toBe(404);
  expect(await call('confirmBreakGlass', { ...bob, path })).toBe(404);
  for (let pending = 1; pending < MAX_REQUESTS; pending += 1) expect(await request(GLASS)).toBe(201);
  expect(await request(GLASS)).toBe(409);
  expect(await confirmOnly(bob)).toBe(409);
}

/** Lists the overrides of all releases. The calls before have left some of both kinds. */
async function callList(call: CallOperation, mia: FromPage): Promise<void> {
  for (const query of [{}, { state: 'waiting' }, { state: 'in_force' }, { page: '2' }, { pageSize: '10' }]) {
    expect(await call('listOverrides', { ...mia, query })).toBe(200);
  }
  for (const query of [{ state: 'ended' }, { page: '0' }, { pageSize: '20' }]) {
    expect(await call('listOverrides', { ...mia, query })).toBe(400);
  }
}

/** Provokes the errors that do not depend on the release. */
async function callBadly(
  call: CallOperation,
  {
    ada,
    mia,
    outsider,
    id,
  }: { readonly ada: FromPage; readonly mia: FromPage; readonly outsider: FromPage; readonly id: string },
): Promise<void> {
  for (const operationId of LISTS) {
    expect(await call(operationId, { ...ada, path: { id }, query: NUL })).toBe(400);
    expect(await call(operationId, { of: ada.of, path: { id } })).toBe(401);
    expect(await call(operationId, { ...outsider, path: { id } })).toBe(403);
    const isOfRelease = operationId === 'listWaivers' || operationId === 'listBreakGlassRequests';
    if (isOfRelease) expect(await call(operationId, { ...ada, path: NOWHERE })).toBe(404);
  }
  const path = { ...NOWHERE, id };
  const asXml = { ...ada.headers, 'content-type': 'application/xml' };
  for (const [operationId, body] of Object.entries(CHANGES)) {
    const request: Call = { path, ...(body && { body }) };
    expect(await call(operationId, { ...ada, ...request, query: NUL })).toBe(400);
    expect(await call(operationId, { of: ada.of, ...request })).toBe(401);
    expect(await call(operationId, { ...mia, ...request })).toBe(403);
    if (operationId !== 'createFreeze')
      expect(await call(operationId, { ...ada, ...request, path: NOWHERE })).toBe(404);
    expect(await call(operationId, { ...ada, path, body: DEEP })).toBe(413);
    expect(await call(operationId, { ...ada, path, headers: asXml, body: '<a/>' })).toBe(415);
  }
}

export async function callOverridesWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  for (const operationId of [...LISTS, ...Object.keys(CHANGES)]) {
    const body = CHANGES[operationId];
    const answer = await call(operationId, { ...asPage(of, cookie), path: NOWHERE, ...(body && { body }) });
    expect([operationId, answer]).toEqual([operationId, 503]);
  }
}
