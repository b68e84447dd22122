import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { DEFAULT_POLICY } from '../../src/domain/policy/policy.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { callWithInsufficientRole, givenCallers } from './given-callers.js';
import { givenRepository } from './given-repository.js';

const NUL = { x: '\u0000' };
const READ = 'getWorkflowUpdate';
const OPEN = 'openWorkflowUpdate';
const CHECK = 'checkPolicy';
const QUERY = { repo: 'journal' };
const POLICY = { status: 'valid', policy: DEFAULT_POLICY, digest: '', defaultBranch: 'main' };

/** Secrets of API keys of the workspace. */
interface GivenKeys {
  readonly both: string;
  readonly evidenceOnly: string;
}

/** Provokes every documented response about the workflow files of a repository. */
export async function callWorkflows(
  call: CallOperation,
  of: BuiltService,
  database: TestDatabase,
  { host, keys }: { readonly host: GivenGitHub; readonly keys: GivenKeys },
): Promise<void> {
  const callers = await givenCallers(of, database);
  const { admin, member, outsider } = callers;
  const path = { repoId: randomUUID() };
  expect(await call(READ, { ...member, path, query: NUL })).toBe(400);
  expect(await call(READ, { of, path })).toBe(401);
  expect(await call(READ, { ...outsider, path })).toBe(403);
  expect(await call(READ, { ...admin, path })).toBe(404);
  await callWithInsufficientRole(call, OPEN, callers, path);
  expect(await call(CHECK, { of, query: QUERY })).toBe(401);
  expect(await call(CHECK, { of, bearer: keys.both })).toBe(400);
  expect(await call(CHECK, { of, query: QUERY, bearer: keys.evidenceOnly })).toBe(403);
  expect(await call(CHECK, { of, query: QUERY, bearer: keys.both })).toBe(404);
  await callUpdate(call, { of, admin, path, database, host, keys });
}

interface GivenUpdate {
  readonly of: BuiltService;
  readonly keys: GivenKeys;
  readonly admin: Call;
  readonly path: { readonly repoId: string };
  readonly database: TestDatabase;
  readonly host: GivenGitHub;
}

async function callUpdate(call: CallOperation, { of, keys, admin, path, database, host }: GivenUpdate): Promise<void> {
  const { repositoryId, installationId } = givenRepository(host, { login: 'updated', name: 'journal' });
  await withDedicatedClient(database.superuserUrl, async (client) => {
    const change = (statement: string): Promise<unknown> => client.query(statement);
    await change(`insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
      select org_id, '${path.repoId}', ${repositoryId}, 'journal', false, 'main', now(), now()
      from organization where github_id = 3001`);
    for (const operation of [READ, OPEN]) expect(await call(operation, { ...admin, path })).toBe(409);
    expect(await call(CHECK, { of, query: QUERY, bearer: keys.both })).toBe(409);
    await change(`update organization set installation_id = ${installationId}, login = 'updated',
      granted_permissions = '{}' where github_id = 3001`);
    await change(`insert into workflow_installation (org_id, repository_id, installed_revision, custom_ci, installed_at)
      select org_id, id, '0000000000000001', true, now() from repository where id = '${path.repoId}'`);
    expect(await call(READ, { ...admin, path })).toBe(200);
    expect(await call(CHECK, { of, query: QUERY, bearer: keys.both })).toBe(200);
    expect(await call(OPEN, { ...admin, path })).toBe(422);
    await change(`insert into observation (org_id, repository_id, kind, key, value, observed_at)
      select org_id, id, 'policy', '', '${JSON.stringify(POLICY)}', now() from repository where id = '${path.repoId}'`);
    expect(await call('enableProtectionRule', { ...admin, path })).toBe(422);
    await change('update organization set granted_permissions = null where github_id = 3001');
    expect(await call(OPEN, { ...admin, path })).toBe(201);
    expect(await call('enableProtectionRule', { ...admin, path })).toBe(200);
    expect(await call(OPEN, { ...admin, path })).toBe(200);
    host.github.faults.next({ kind: 'primary-limit', match: /\/updated\/journal/ });
    expect(await call(READ, { ...admin, path })).toBe(503);
    await change(`update organization set installation_id = null, login = 'acme' where github_id = 3001;
      update repository set removed_at = now() where id = '${path.repoId}'`);
  });
}

export async function callWorkflowsWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  { cookie, key }: { readonly cookie: string; readonly key: string },
): Promise<void> {
  const path = { repoId: randomUUID() };
  expect(await call(CHECK, { of, query: QUERY, bearer: key })).toBe(503);
  for (const operation of [READ, OPEN]) {
    expect(await call(operation, { of, path, headers: { cookie, origin: PUBLIC_URL } })).toBe(503);
  }
}
