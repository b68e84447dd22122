import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { callWithInsufficientRole, givenCallers } from './given-callers.js';
import { givenRepository } from './given-repository.js';

const OPERATION = 'bootstrapRepository';

/** Provokes every documented response about the set-up of a repository. */
export async function callBootstrap(
  call: CallOperation,
  of: BuiltService,
  database: TestDatabase,
  host: GivenGitHub,
): Promise<void> {
  const callers = await givenCallers(of, database);
  const { admin } = callers;
  const path = { repoId: randomUUID() };
  await callWithInsufficientRole(call, OPERATION, callers, path);
  const { repositoryId, installationId } = givenRepository(host, { login: 'bootstrapped', name: 'ledger' });
  await withDedicatedClient(database.superuserUrl, async (client) => {
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

export async function callBootstrapWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const path = { repoId: randomUUID() };
  expect(await call(OPERATION, { of, path, headers: { cookie, origin: PUBLIC_URL } })).toBe(503);
}
