import { runMigrations } from 'graphile-worker';
import { type Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { noopTypeOrmLogger } from './data-source.js';
import { withAdvisoryLock } from './dedicated-client.js';
import {
  assertKnownSchema,
  digestMigrations,
  MIGRATIONS_TABLE,
  type MigrationClass,
  readMigrationStatus,
} from './migration-status.js';
import { primaryUrl } from './primary.js';
import { APP_ROLE, LOOKUP_ROLE, OWNER_ROLE } from './roles.js';

/** The schema of the job library's queue. */
export const QUEUE_SCHEMA = 'graphile_worker';
const MIGRATION_LOCK = 0x5347_0002n;
// The owner role owns everything that a migration creates. A migration that waits for a table lock blocks all queries
// behind it, so it gives up soon, and the next start tries again.
const AS_OWNER = `-c role=${OWNER_ROLE} -c lock_timeout=10s`;

/**
 * Migrates the schema and the queue, and returns the names of the migrations that ran. One process migrates at a time.
 * The others wait until they are stopped. A failed migration is rolled back. Throws before the first change if an unknown or a changed
 * migration ran on this database, or if a version that was never released created it.
 */
export async function migrate(
  ofHosts: string,
  required: readonly MigrationClass[] = migrations,
  stopping?: AbortSignal,
): Promise<readonly string[]> {
  const url = await primaryUrl(ofHosts);
  const bringUpToDate = async (): Promise<readonly string[]> => {
    const pool = new Pool({ connectionString: url, options: AS_OWNER, max: 2 });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    try {
      const { pending } = await assertKnownSchema(pool, required);
      await migrateQueue(pool);
      if (pending.length === 0) return [];
      // The new owner of a function needs this privilege on the schema, but only during the migration.
      await pool.query(`grant create on schema public to ${LOOKUP_ROLE}`);
      try {
        return await migrateSchema(url, required);
      } finally {
        await pool.query(`revoke create on schema public from ${LOOKUP_ROLE}`);
      }
    } finally {
      await pool.end();
    }
  };
  return withAdvisoryLock(url, MIGRATION_LOCK, bringUpToDate, stopping);
}

/** Returns the names of the migrations that have not run on this database, in order. */
export async function listPendingMigrations(
  connection: Pool | Client,
  required: readonly MigrationClass[] = migrations,
): Promise<readonly string[]> {
  return (await readMigrationStatus(connection, required)).pending;
}

async function migrateSchema(url: string, required: readonly MigrationClass[]): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    extra: { options: AS_OWNER, max: 2 },
    schema: 'public',
    installExtensions: false,
    migrations: [...required],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    logger: noopTypeOrmLogger,
  });
  await source.initialize();
  try {
    // Created before the first migration, so that the table is readable even if the start is killed in between.
    await source.query(`
      create table if not exists ${MIGRATIONS_TABLE} (
        id integer generated always as identity primary key,
        timestamp bigint not null,
        name text not null unique,
        digest text,
        requires text
      );
      grant select on ${MIGRATIONS_TABLE} to ${APP_ROLE}`);
    const ran = await source.runMigrations();
    await recordDigests(source, required);
    return ran.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}

/** Records the migrations that ran, also those of a start that was killed before it recorded them. */
async function recordDigests(source: DataSource, required: readonly MigrationClass[]): Promise<void> {
  const digests = await digestMigrations(required);
  await source.query(
    `update ${MIGRATIONS_TABLE} m set digest = known.digest, requires = known.requires
     from unnest($1::text[], $2::text[], $3::text[]) known (name, digest, requires)
     where m.name = known.name and m.digest is null`,
    [[...digests.keys()], [...digests.values()], required.map(({ requires }) => requires ?? null)],
  );
}

/**
 * Runs the job library's migrations and grants the runtime role the rights to add and run jobs. The library's tables
 * have row-level security without a policy, so without this policy only their owner could use them.
 */
async function migrateQueue(pool: Pool): Promise<void> {
  await runMigrations({ pgPool: pool, schema: QUEUE_SCHEMA });
  await pool.query(`
    revoke all on schema ${QUEUE_SCHEMA} from public;
    grant usage on schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    grant select, insert, update, delete on all tables in schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    revoke insert, update, delete on ${QUEUE_SCHEMA}.migrations from ${APP_ROLE};
    grant usage on all sequences in schema ${QUEUE_SCHEMA} to ${APP_ROLE};
    do $$
    declare
      unreadable regclass;
    begin
      for unreadable in
        select c.oid from pg_class c
        where c.relnamespace = '${QUEUE_SCHEMA}'::regnamespace and c.relrowsecurity
          and not exists (select from pg_policy p where p.polrelid = c.oid)
      loop
        execute format('create policy service on %s to ${APP_ROLE} using (true) with check (true)', unreadable);
      end loop;
    end $$;`);
}
