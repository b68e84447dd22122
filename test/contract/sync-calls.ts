import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL, UNREPORTED_INSTALLATION } from './given-github.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;

/** Provokes every documented response about the sync of a workspace. */
export async function callSync(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  for (const operationId of ['getSyncStatus', 'startSync']) {
    expect(await call(operationId, { ...member, query: NUL })).toBe(400);
    expect(await call(operationId, { of })).toBe(401);
    expect(await call(operationId, outsider)).toBe(403);
  }
  const asXml = { ...member.headers, 'content-type': 'application/xml' };
  expect(await call('startSync', { ...member, body: DEEP })).toBe(413);
  expect(await call('startSync', { ...member, headers: asXml, body: '<a/>' })).toBe(415);
  expect(await call('startSync', { ...member, body: { repoId: randomUUID() } })).toBe(404);
  expect(await call('startSync', member)).toBe(409);
  await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query(`update organization set installation_id = ${UNREPORTED_INSTALLATION} where github_id = 3001`);
    expect(await call('startSync', member)).toBe(202);
    await client.query('update organization set installation_id = null where github_id = 3001');
  });
  expect(await call('getSyncStatus', member)).toBe(200);
}

export async function callSyncWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  expect(await call('getSyncStatus', { of, headers })).toBe(503);
  expect(await call('startSync', { of, headers })).toBe(503);
}
