import { runMigrations } from 'graphile-worker';
import { type Client, Pool } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { noopTypeOrmLogger } from './data-source.js';
import { withAdvisoryLock } from './dedicated-client.js';
import { APP_ROLE, LOOKUP_ROLE, OWNER_ROLE } from './roles.js';

/** The schema that the job library keeps its queue in. */
const QUEUE_SCHEMA = 'graphile_worker';
/** Which migrations ran. */
export const MIGRATIONS_TABLE = 'schema_migration';

export type MigrationClass = new () => MigrationInterface;

const MIGRATION_LOCK = 0x5347_0002n;
// All that a migration makes belongs to the owner. One that waits for a table's lock makes every query wait behind it,
// so it gives up soon and is tried again by the next start.
const AS_OWNER = `-c role=${OWNER_ROLE} -c lock_timeout=10s`;

/**
 * Brings the schema and the queue up to date, and answers the names of the migrations that ran. Of several processes one
 * migrates and the others wait for it, until they are told to stop; a migration that fails leaves nothing of itself behind.
 */
export function migrate(
  url: string,
  wanted: readonly MigrationClass[] = migrations,
  stopping?: AbortSignal,
): Promise<readonly string[]> {
  const bringUpToDate = async (): Promise<readonly string[]> => {
    const pool = new Pool({ connectionString: url, options: AS_OWNER, max: 2 });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    try {
      await migrateQueue(pool);
      if ((await listPendingMigrations(pool, wanted)).length === 0) return [];
      // A function's new owner must be allowed to create in its schema, at that moment and at no other.
      await pool.query(`grant create on schema public to ${LOOKUP_ROLE}`);
      try {
        return await migrateSchema(url, wanted);
      } finally {
        await pool.query(`revoke create on schema public from ${LOOKUP_ROLE}`);
      }
    } finally {
      await pool.end();
    }
  };
  return withAdvisoryLock(url, MIGRATION_LOCK, bringUpToDate, stopping);
}

/** The names of the migrations that did not run on this database yet, in their order. */
export async function listPendingMigrations(
  connection: Pool | Client,
  wanted: readonly MigrationClass[] = migrations,
): Promise<readonly string[]> {
  const { rows } = await connection.query<{ present: boolean }>(
    `select to_regclass('public.${MIGRATIONS_TABLE}') is not null as present`,
  );
  if (rows[0]?.present !== true) return wanted.map(({ name }) => name);
  const ran = await connection.query<{ name: string }>(`select name from public.${MIGRATIONS_TABLE}`);
  const names = new Set(ran.rows.map(({ name }) => name));
  return wanted.map(({ name }) => name).filter((name) => !names.has(name));
}

async function migrateSchema(url: string, wanted: readonly MigrationClass[]): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    extra: { options: AS_OWNER, max: 2 },
    schema: 'public',
    installExtensions: false,
    migrations: [...wanted],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    logger: noopTypeOrmLogger,
  });
  await source.initialize();
  try {
    // Made before the first migration runs, so that a start which is killed in between leaves it readable, too.
    await source.query(`
      create table if not exists ${MIGRATIONS_TABLE} (
        id integer generated always as identity primary key,
        timestamp bigint not null,
        name text not null unique
      );
      grant select on ${MIGRATIONS_TABLE} to ${APP_ROLE}`);
    const ran = await source.runMigrations();
    return ran.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}

/**
 * The job library's own migrations, then what the runtime role needs to add jobs and to work them off. Its tables have
 * row-level security without a policy, which is nothing for anyone but their owner.
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
