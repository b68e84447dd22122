import { randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import type { MemberRole } from '../../src/auth/user.js';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import type { TestDatabase } from '../support/database.js';
import { SESSION_SECRET } from './built-service.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';

/** The user who is configured as a platform admin. */
export const PLATFORM_ADMIN = 5000;

let userCount = PLATFORM_ADMIN;

function nextUserId(): number {
  userCount += 1;
  return userCount;
}

/**
 * Signs a new user in, with the workspace `acme` selected. Returns the value of the `Cookie` header. Without a role the
 * user is no member of the workspace.
 */
export async function givenSession(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  role: MemberRole | null,
  userId = nextUserId(),
): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(`select upsert_user($1, $2, null, $3, null, null, null, null, now())`, [
      userId,
      `person-${userId}`,
      `https://avatars.githubusercontent.com/u/${userId}`,
    ]);
    await client.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
       select org_id, $1, $2, now(), now(), now() from organization where login = 'acme' and $2::text is not null`,
      [userId, role],
    );
    await client.query(`select create_session($1, $2, (select org_id from organization where login = 'acme'), now())`, [
      hashSecret(id),
      userId,
    ]);
  });
  return `connect.sid=${encodeURIComponent(new Signer(cookieOptions(SESSION_SECRET).secret as Buffer).sign(id))}`;
}

/** Signs a new user in whose rate limit is used up, so each further request is rejected. */
export async function givenSessionOverLimit(
  database: Pick<TestDatabase, 'superuserUrl'>,
  role: MemberRole,
  userId = nextUserId(),
): Promise<string> {
  await givenUsedUpLimit(database, `session:person:${userId}`);
  return givenSession(database, role, userId);
}
