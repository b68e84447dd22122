import { randomBytes, randomUUID } from 'node:crypto';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { PersonalKeyScope } from '../../src/domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../src/domain/keys/key-secret.js';
import type { TestDatabase } from '../support/database.js';
import { givenSession } from './given-session.js';

/** Creates a personal key of a user who is a member of the workspace `acme`. Returns its secret. */
export async function givenPersonalKey(
  database: Pick<TestDatabase, 'superuserUrl'>,
  userId: number,
  scope: PersonalKeyScope,
): Promise<string> {
  await givenSession(database, 'member', userId);
  const secret = keySecret('sgp', randomBytes(SECRET_BYTES));
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query(
      `insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
       select org_id, $1, $2, 'editor', $3, $4, $5, now(), now() + interval '30 days'
       from organization where login = 'acme'`,
      [randomUUID(), userId, visiblePrefix(secret), hashSecret(secret), scope],
    ),
  );
  return secret;
}
