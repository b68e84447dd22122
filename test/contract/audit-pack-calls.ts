import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const OPERATIONS = ['getApprovalRecord', 'downloadAuditPack'] as const;
const NOWHERE = { id: randomUUID() };

/** Provokes every documented response to a request for the approval record or the audit pack of a release. */
export async function callAuditPack(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const path = await givenRelease(database);
  for (const operationId of OPERATIONS) {
    expect(await call(operationId, { ...member, path })).toBe(200);
    expect(await call(operationId, { ...member, path, query: NUL })).toBe(400);
    expect(await call(operationId, { of, path })).toBe(401);
    expect(await call(operationId, { ...outsider, path })).toBe(403);
    expect(await call(operationId, { ...member, path: NOWHERE })).toBe(404);
  }
}

export async function callAuditPackWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  for (const operationId of OPERATIONS) expect(await call(operationId, { of, headers, path: NOWHERE })).toBe(503);
}

/** Creates a release without decisions, facts and evidence. */
async function givenRelease({ superuserUrl }: TestDatabase): Promise<{ readonly id: string }> {
  const [id, repositoryId] = [randomUUID(), randomUUID()];
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, $1, 4800713, 'packed', false, 'main', now(), now() from organization where login = 'acme'`,
      [repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       select org_id, $1, $2, 'v1.0.0', 4800502, 6, 'v1.0.0', 'https://github.com/acme/packed/milestone/6', now(), now()
       from organization where login = 'acme'`,
      [id, repositoryId],
    );
  });
  return { id };
}
