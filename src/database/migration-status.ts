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
  /** Why this version must not work with the schema. */
  readonly conflicts: readonly SchemaConflict[];
}

interface SchemaConflict {
  readonly problem: string;
  /** What the operator can do, in a sentence. */
  readonly remedy: string;
}

interface ExecutedMigration {
  readonly id: number;
  readonly name: string;
  /** Null if the process was killed before it recorded the digest. */
  readonly digest: string | null;
  readonly requires: string | null;
}

/** Why a database or a backup without the first migration is rejected, and what to do. */
export const UNRELEASED = {
  problem: 'it was created by a version before 0.1.0, which was never released',
  remedy: 'Create a new database, or delete the one in DATA_DIR, and start again.',
} as const;

const OTHER_VERSION = 'Run the version that migrated this database, or a newer one.';

/**
 * Compares the migrations that ran with those of this version, by name and by digest. A migration that ran after all known ones belongs
 * to a newer version. A migration that ran before a known one and is unknown here means that a merged migration was renamed or removed.
 * A database on which migrations ran, but not the first known one, belongs to a version that was never released.
 */
export async function readMigrationStatus(
  connection: Pool | Client,
  known: readonly MigrationClass[] = migrations,
): Promise<MigrationStatus> {
  const executed = await readExecuted(connection);
  const digests = await digestMigrations(known);
  const ran = new Set(executed.map(({ name }) => name));
  const [first] = digests.keys();
  if (first !== undefined && executed.length > 0 && !ran.has(first))
    return { pending: [], newer: [], conflicts: [UNRELEASED] };
  const lastKnown = Math.max(0, ...executed.filter(({ name }) => digests.has(name)).map(({ id }) => id));
  const unknown = executed.filter(({ name }) => !digests.has(name));
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
    ].map((problem) => ({ problem, remedy: OTHER_VERSION })),
  };
}

/** Returns the status. Throws with every reason why this version must not work with the schema. */
export async function assertKnownSchema(
  connection: Pool | Client,
  known: readonly MigrationClass[] = migrations,
): Promise<MigrationStatus> {
  const status = await readMigrationStatus(connection, known);
  if (status.conflicts.length > 0) {
    throw new DatabaseSetupError(status.conflicts.map(({ problem, remedy }) => `${problem}. ${remedy}`));
  }
  return status;
}

async function readExecuted(connection: Pool | Client): Promise<readonly ExecutedMigration[]> {
  const { rows: tables } = await connection.query<{ present: boolean }>(
    `select to_regclass('public.${MIGRATIONS_TABLE}') is not null as present`,
  );
  if (tables[0]?.present !== true) return [];
  const { rows } = await connection.query<ExecutedMigration>(
    // A database of a version that was never released may not have the last two columns.
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
