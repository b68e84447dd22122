import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { PUBLIC_URL, UNREPORTED_INSTALLATION } from './given-github.js';
import { callWithInsufficientRole, DEEP, givenCallers, type GivenCallers } from './given-callers.js';

const OPERATION = 'configureRulesets';
const ENABLE = 'enableProtectionRule';
const READ = 'getProtectionRule';
const NUL = { x: '\u0000' };

/** Provokes every documented response about the rulesets of a repository. */
export async function callProtection(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const callers = await givenCallers(of, database);
  const { admin } = callers;
  const path = { repoId: randomUUID() };
  await callWithInsufficientRole(call, OPERATION, callers, path);
  await callRule(call, callers, path);
  await withDedicatedClient(database.superuserUrl, async (client) => {
    const change = (statement: string): Promise<unknown> => client.query(statement);
    await change(`insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
      select org_id, '${path.repoId}', 4007, 'orders', false, 'main', now(), now() from organization
      where github_id = 3001`);
    expect(await call(OPERATION, { ...admin, path })).toBe(409);
    expect(await call(ENABLE, { ...admin, path })).toBe(409);
    expect(await call(READ, { ...admin, path })).toBe(200);
    await change(`update organization set installation_id = ${UNREPORTED_INSTALLATION}, granted_permissions = '{"checks": "write"}'
      where github_id = 3001`);
    await change(`insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place,
        changed_at)
      select org_id, id, gen_random_uuid(), 'complete', 1, now(), true, now() from repository where github_id = 4007`);
    expect(await call(OPERATION, { ...admin, path })).toBe(422);
    await change('update organization set granted_permissions = null where github_id = 3001');
    expect(await call(OPERATION, { ...admin, path })).toBe(202);
    await change(`delete from repository_protection;
      delete from repository_setup where repository_id = '${path.repoId}';
      delete from event where repository_id = '${path.repoId}';
      delete from repository where id = '${path.repoId}';
      update organization set installation_id = null where github_id = 3001`);
  });
}

/** Provokes every error that a request about the protection rule can get before the repository is read. */
async function callRule(
  call: CallOperation,
  { of, admin, member, outsider }: GivenCallers,
  path: { readonly repoId: string },
): Promise<void> {
  for (const operation of [READ, ENABLE]) {
    expect(await call(operation, { ...admin, path, query: NUL })).toBe(400);
    expect(await call(operation, { of, path })).toBe(401);
    expect(await call(operation, { ...outsider, path })).toBe(403);
    expect(await call(operation, { ...admin, path })).toBe(404);
  }
  expect(await call(ENABLE, { ...member, path })).toBe(403);
  expect(await call(ENABLE, { ...admin, path, body: DEEP })).toBe(413);
  const asXml = { ...admin.headers, 'content-type': 'application/xml' };
  expect(await call(ENABLE, { ...admin, path, headers: asXml, body: '<a/>' })).toBe(415);
}

export async function callProtectionWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const path = { repoId: randomUUID() };
  for (const operation of [OPERATION, READ, ENABLE]) {
    expect(await call(operation, { of, path, headers: { cookie, origin: PUBLIC_URL } })).toBe(503);
  }
}
