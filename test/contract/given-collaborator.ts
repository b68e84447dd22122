import { EncryptionService } from '../../src/crypto/encryption.service.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { RoleName } from '../github-sim/state/role.js';
import type { User } from '../github-sim/state/user.js';
import type { TestDatabase } from '../support/database.js';
import { ENCRYPTION_KEY } from './built-service.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { type GivenRepository, givenRepository } from './given-repository.js';
import { givenSession } from './given-session.js';

/** A repository on GitHub, and a signed-in member of the workspace in whose name the service can call GitHub. */
export interface GivenCollaborator extends GivenRepository {
  /** The headers of a request from a page of the service, by this user. */
  readonly headers: { readonly cookie: string; readonly origin: string };
}

interface CollaboratorSpec {
  /** The login of the organization on GitHub. */
  readonly login: string;
  /** The name of the repository. */
  readonly name: string;
  readonly userLogin: string;
  readonly role: RoleName;
}

export async function givenCollaborator(
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
  { login, name, userLogin, role }: CollaboratorSpec,
): Promise<GivenCollaborator> {
  const given = givenRepository(host, { login, name });
  const user = host.github.createUser({ login: userLogin });
  given.repository.setCollaborator(user, role);
  const headers = { cookie: await givenSession(database, 'member', user.id), origin: PUBLIC_URL };
  await saveToken(database, user, host.github.state.tokens.issueForUser(user, given.app));
  return { ...given, headers };
}

/** Saves the token as a sign-in through GitHub does. */
async function saveToken({ superuserUrl }: TestDatabase, { id, login }: User, token: string): Promise<void> {
  const sealed = new EncryptionService({ encryptionKeys: [ENCRYPTION_KEY] }).encrypt(token, `person:${id}:access`);
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(`select upsert_user($1, $2, null, $3, $4, null, null, null, now())`, [
      id,
      login,
      `https://avatars.githubusercontent.com/u/${id}`,
      sealed,
    ]),
  );
}

/**
 * Stores the repository under this id, in a workspace with its installation, while the work runs. Each statement commits
 * by itself, because jobs in the background lock the same rows in another order.
 */
export async function whileReached(
  { superuserUrl }: TestDatabase,
  { repository, installationId }: GivenRepository,
  id: string,
  work: (change: (statement: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await withDedicatedClient(superuserUrl, async (client) => {
    const change = (statement: string): Promise<unknown> => client.query(statement);
    await change(`update organization set installation_id = ${installationId}, login = '${repository.owner.login}'
      where github_id = 3001`);
    await change(`insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
      select org_id, '${id}', ${repository.id}, '${repository.name}', false, 'main', now(), now()
      from organization where github_id = 3001`);
    await work(change);
    await change(`update organization set installation_id = null, login = 'acme' where github_id = 3001`);
    await change(`update release set deleted_at = now() where repository_id = '${id}'`);
    await change(`update repository set removed_at = now() where id = '${id}'`);
  });
}
