import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withClient } from '../../src/database/session.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const OPERATION = 'bootstrapBegin';

/** A repository of the workspace on the host, with the app that is installed there. */
function givenRepository({ github, variables }: GivenGitHub): { repositoryId: number; installationId: number } {
  const app = github.world.apps.findByIssuer(variables['GITHUB_APP_ID'] ?? '');
  if (!app) throw new Error('the host has no app');
  const organization = github.createOrganization({ login: 'bootstrapped' });
  const { id: repositoryId } = github.createRepository(organization, {
    name: 'ledger',
    files: { 'README.md': 'A ledger.' },
    private: false,
  });
  return { repositoryId, installationId: github.installApp(app, organization).id };
}

/** Every answer about setting a repository up. */
export async function callBootstrap(
  call: CallOperation,
  of: BuiltService,
  database: TestDatabase,
  host: GivenGitHub,
): Promise<void> {
  const session = async (role: 'admin' | 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [admin, member, nobody] = [await session('admin'), await session('member'), await session(null)];
  const path = { repoId: randomUUID() };
  expect(await call(OPERATION, { ...admin, path, body: { pat: 'two words' } })).toBe(400);
  expect(await call(OPERATION, { of, path })).toBe(401);
  expect(await call(OPERATION, { ...nobody, path })).toBe(403);
  expect(await call(OPERATION, { ...member, path })).toBe(403);
  expect(await call(OPERATION, { ...admin, path })).toBe(404);
  expect(await call(OPERATION, { ...admin, path, body: DEEP })).toBe(413);
  const asXml = { ...admin.headers, 'content-type': 'application/xml' };
  expect(await call(OPERATION, { ...admin, path, headers: asXml, body: '<a/>' })).toBe(415);
  const { repositoryId, installationId } = givenRepository(host);
  await withClient(database.superuserUrl, async (client) => {
    const change = (statement: string): Promise<unknown> => client.query(statement);
    const insert = (id: string, githubId: number, managedAt: string): Promise<unknown> =>
      change(`insert into repository (org_id, id, github_id, name, private, default_branch, managed_at, created_at,
          updated_at)
        select org_id, '${id}', ${githubId}, 'ledger-${githubId}', false, 'main', ${managedAt}, now(), now()
        from organization where github_id = 3001`);
    await insert(path.repoId, repositoryId, 'null');
    expect(await call(OPERATION, { ...admin, path })).toBe(409);
    await change(`update organization set installation_id = ${installationId}, login = 'bootstrapped',
      granted_permissions = '{}' where github_id = 3001`);
    await change(`update repository set name = 'ledger' where id = '${path.repoId}'`);
    expect(await call(OPERATION, { ...admin, path })).toBe(422);
    await change(`update organization set granted_permissions = null, plan = 'free' where github_id = 3001`);
    for (const githubId of [4101, 4102, 4103]) await insert(randomUUID(), githubId, 'now()');
    expect(await call(OPERATION, { ...admin, path })).toBe(402);
    await change('delete from repository where github_id in (4101, 4102, 4103)');
    expect(await call(OPERATION, { ...admin, path })).toBe(201);
    await change(`update organization set installation_id = null, login = 'acme' where github_id = 3001;
      update repository set removed_at = now(), managed_at = null where id = '${path.repoId}'`);
  });
}

/** While the database cannot be reached. */
export async function callBootstrapWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const path = { repoId: randomUUID() };
  expect(await call(OPERATION, { of, path, headers: { cookie, origin: PUBLIC_URL } })).toBe(503);
}
