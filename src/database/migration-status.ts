import { createHash } from 'node:crypto';
import type { Client, Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { DatabaseSetupError } from './database-setup.error.js';

/** The table of the executed migrations. */
export const MIGRATIONS_TABLE = 'schema_migration';

export interface MigrationClass {
  new (): MigrationInterface;
  /** The name of the migration that a process must have to work with the schema after this migration. */
  readonly requires?: string;
}

/** How the schema of a database compares with the migrations of this version. */
export interface MigrationStatus {
  /** The names of the migrations that have not run, in order. */
  readonly pending: readonly string[];
  /** The names of the migrations of a newer version that ran. This version works with their schema. */
  readonly newer: readonly string[];
  /** Why this version must not work with the schema. Each sentence names a migration. */
  readonly conflicts: readonly string[];
}

interface ExecutedMigration {
  readonly id: number;
  readonly name: string;
  readonly digest: string | null;
  readonly requires: string | null;
}

/** Migrations that ran under a name that no longer exists. `JoinReportPieces` removes their traces. */
const FORMER_NAMES: ReadonlySet<string> = new Set(['KeepReportsInPieces1790500000100']);

/**
 * Compares the migrations that ran with those of this version, by name and by digest. A migration that ran after all known ones belongs
 * to a newer version. A migration that ran before a known one and is unknown here means that a merged migration was renamed or removed.
 */
export async function readMigrationStatus(
  connection: Pool | Client,
  known: readonly MigrationClass[] = migrations,
): Promise<MigrationStatus> {
  const executed = await readExecuted(connection);
  const digests = await digestMigrations(known);
  const ran = new Set(executed.map(({ name }) => name));
  const lastKnown = Math.max(0, ...executed.filter(({ name }) => digests.has(name)).map(({ id }) => id));
  const unknown = executed.filter(({ name }) => !digests.has(name) && !FORMER_NAMES.has(name));
  const [misplaced, newer] = [unknown.filter(({ id }) => id < lastKnown), unknown.filter(({ id }) => id > lastKnown)];
  const changed = executed.filter(({ name, digest }) => digest !== null && digest !== (digests.get(name) ?? digest));
  const tooNew = newer.filter(({ requires }) => requires !== null && !digests.has(requires));
  return {
    pending: [...digests.keys()].filter((name) => !ran.has(name)),
    newer: newer.map(({ name }) => name),
    conflicts: [
      ...misplaced.map(({ name }) => `the migration ${name} ran, but this version does not have it`),
      ...changed.map(({ name }) => `the migration ${name} ran with other statements than this version has`),
      ...tooNew.map(
        ({ name, requires }) =>
          `its schema is too new for this version: ${name} ran, which requires a version with ${requires}`,
      ),
    ],
  };
}

/** Returns the status. Throws with every reason why this version must not work with the schema. */
export async function assertKnownSchema(
  connection: Pool | Client,
  known: readonly MigrationClass[] = migrations,
): Promise<MigrationStatus> {
  const status = await readMigrationStatus(connection, known);
  if (status.conflicts.length > 0) throw new DatabaseSetupError(status.conflicts);
  return status;
}

async function readExecuted(connection: Pool | Client): Promise<readonly ExecutedMigration[]> {
  const { rows: tables } = await connection.query<{ present: boolean }>(
    `select to_regclass('public.${MIGRATIONS_TABLE}') is not null as present`,
  );
  if (tables[0]?.present !== true) return [];
  // Earlier versions created the table without the last two columns.
  const { rows } = await connection.query<ExecutedMigration>(
    `select id, name, to_jsonb(m) ->> 'digest' as digest, to_jsonb(m) ->> 'requires' as requires
     from public.${MIGRATIONS_TABLE} m order by id`,
  );
  return rows;
}

const digested = new WeakMap<readonly MigrationClass[], Promise<ReadonlyMap<string, string>>>();

/**
 * Returns the digest of each migration by its name: the SHA-256 of the statements that it executes, in order. So a change of a shared
 * function that builds SQL is a change of each migration that calls it.
 */
export function digestMigrations(known: readonly MigrationClass[]): Promise<ReadonlyMap<string, string>> {
  const digests = digested.get(known) ?? Promise.all(known.map(digestMigration)).then((entries) => new Map(entries));
  digested.set(known, digests);
  return digests;
}

async function digestMigration(Migration: MigrationClass): Promise<[string, string]> {
  const hash = createHash('sha256');
  const runner = { query: async (sql: string) => void hash.update(`${sql}\0`) };
  await new Migration().up(runner as unknown as QueryRunner);
  return [Migration.name, hash.digest('hex')];
}
