import type { Client } from 'pg';
import { type ConnectionSettings, EMBEDDED_DATABASE } from '../connections.js';
import { DatabaseSetupError } from '../database-setup.error.js';
import { startEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { databaseUrl, OWNER_ROLE } from '../roles.js';
import type { OrgId } from '../ids.js';

/**
 * Runs work with the URL of a user that may act as the owner: the migrator, a superuser, or the superuser of the embedded
 * server. The embedded server runs until the work ends. Changes nothing in the database.
 */
export async function withOwnerUrl<T>(
  { databaseUrl: given, migrationUrl, dataDir }: ConnectionSettings,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return work(migrationUrl ?? given);
  const embedded = await startEmbeddedPostgres({ folder: dataDir });
  try {
    return await work(databaseUrl(embedded.superuserUrl, EMBEDDED_DATABASE));
  } finally {
    await embedded.stop();
  }
}

/** Sets the role of the owner until the transaction ends. Throws a `DatabaseSetupError` if the user may not. */
export async function actAsOwner(client: Client): Promise<void> {
  const { rows } = await client.query<{ user: string; owner: boolean; member: boolean | null }>(
    `select current_user as user, to_regrole('${OWNER_ROLE}') is not null as owner,
       (select pg_has_role(oid, 'member') from pg_roles where rolname = '${OWNER_ROLE}') as member`,
  );
  const { user = '?', owner = false, member = false } = rows[0] ?? {};
  if (!owner) throw new DatabaseSetupError([`the role ${OWNER_ROLE} is missing`]);
  if (!member) {
    throw new DatabaseSetupError([
      `${user} is no member of ${OWNER_ROLE}; set DATABASE_MIGRATION_URL, for the role that may migrate`,
    ]);
  }
  await client.query(`set local role ${OWNER_ROLE}`);
}

/** Runs work in a transaction as the owner. The policies let it change only the rows of this workspace, and none if `orgId` is null. */
export async function asOwner<T>(client: Client, orgId: OrgId | null, work: () => Promise<T>): Promise<T> {
  await client.query(`begin; set local statement_timeout = 0; set local lock_timeout = '30s'`);
  try {
    await actAsOwner(client);
    await client.query(`select set_config('app.org_id', $1, true)`, [orgId ?? '']);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
