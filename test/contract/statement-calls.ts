import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const DIGEST = `sha256:${'9f86d081'.repeat(8)}`;
const NOWHERE = { id: randomUUID() };

/** Provokes every documented response to a request for a statement. */
export async function callStatements(
  call: CallOperation,
  of: BuiltService,
  database: TestDatabase,
  keys: { readonly both: string; readonly evidenceOnly: string },
): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const path = await givenRelease(database);
  const get = (request: Call): Promise<number> => call('getStatement', request);
  expect(await get({ ...member, path, query: { digest: DIGEST, environment: 'production' } })).toBe(200);
  expect(await get({ of, path, query: { digest: DIGEST }, bearer: keys.both })).toBe(200);
  expect(await get({ ...member, path, query: { digest: 'short' } })).toBe(400);
  expect(await get({ of, path })).toBe(401);
  expect(await get({ ...outsider, path })).toBe(403);
  expect(await get({ of, path, bearer: keys.evidenceOnly })).toBe(403);
  expect(await get({ ...member, path: NOWHERE })).toBe(404);
  // Its policy is not known, so no environment is unknown.
  expect(await get({ ...member, path, query: { digest: DIGEST, environment: 'anywhere' } })).toBe(200);
  expect(await get({ ...member, path })).toBe(409);
}

export async function callStatementsWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  expect(await call('getStatement', { of, headers, path: NOWHERE })).toBe(503);
  expect(await call('listStatementKeys')).toBe(503);
}

/** Creates a release without facts, so that it has no candidate. */
async function givenRelease({ superuserUrl }: TestDatabase): Promise<{ id: string }> {
  const [id, repositoryId] = [randomUUID(), randomUUID()];
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, $1, 4790, 'stated', false, 'main', now(), now() from organization where login = 'acme'`,
      [repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       select org_id, $1, $2, 'v1.0.0', 590, 6, 'v1.0.0', 'https://github.com/acme/stated/milestone/6', now(), now()
       from organization where login = 'acme'`,
      [id, repositoryId],
    );
  });
  return { id };
}
