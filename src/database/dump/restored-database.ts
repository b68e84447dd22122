import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Client, DatabaseError } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { migrations } from '../../../migrations/index.js';
import { DatabaseSetupError } from '../database-setup.error.js';
import { withDedicatedClient } from '../dedicated-client.js';
import type { OrgId } from '../ids.js';
import { JOB_NAME_TABLE, JOB_QUEUE_TABLE, JOB_TABLE } from '../job-tables.js';
import { listPendingMigrations, migrate, QUEUE_SCHEMA } from '../migrate.js';
import { MIGRATIONS_TABLE, UNRELEASED } from '../migration-status.js';
import { assertRoles, createRoles, isSuperuser } from '../roles.js';
import type { DumpDescription, SequenceValue } from './database-dump.js';
import { actAsOwner } from './owner-access.js';
import { type DumpedTable, listTables } from './table-list.js';

/** The content of a report file, as the database stores it, or the URL of its object. */
export interface RestoredContent {
  readonly bytes: Uint8Array;
  readonly deflated: readonly Uint8Array[];
  readonly location: string | null;
}

/** Throws an error for the operator if this version cannot restore a backup with these migrations. */
export function assertKnownMigrations(names: readonly string[]): void {
  const [first] = migrations;
  if (first && !names.includes(first.name)) {
    throw new Error(
      `The backup cannot be restored: ${UNRELEASED.problem}. Restore a backup of version 0.1.0 or later, or begin with an empty database.`,
    );
  }
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `The backup is of another version of Shipgate, whose migration ${unknown[0]} this version does not have. ` +
        'Restore it with that version, then upgrade.',
    );
  }
}

/**
 * An empty database into which a backup is restored in one transaction. After a failure only the empty tables remain. No other
 * connection can use the tables until the end.
 */
export class RestoredDatabase {
  private open: { readonly table: string; readonly stream: Writable & CopyStreamQuery } | null = null;

  private constructor(
    private readonly client: Client,
    private readonly tables: ReadonlyMap<string, DumpedTable>,
  ) {}

  /**
   * Creates the roles if the URL is a superuser's, migrates to the state of the backup, runs the work, and migrates to the
   * state of this version.
   */
  static async fill(
    url: string,
    description: DumpDescription,
    work: (database: RestoredDatabase) => Promise<void>,
  ): Promise<void> {
    assertKnownMigrations(description.migrations);
    const migrationUrl = (await isSuperuser(url)) ? (await createRoles(url)).migrationUrl : url;
    await assertRoles(migrationUrl);
    await withDedicatedClient(migrationUrl, (client) => assertEmpty(client));
    const names = new Set(description.migrations);
    const required = migrations.filter(({ name }) => names.has(name));
    await assertNotBeyond(migrationUrl, description.migrations);
    await migrate(migrationUrl, required);
    await withDedicatedClient(migrationUrl, async (client) => {
      await client.query(`begin; set local statement_timeout = 0; set local lock_timeout = '30s';
        set local idle_in_transaction_session_timeout = 0; set local search_path = pg_catalog, public;
        set local timezone = 'UTC'; set local datestyle = 'ISO'; set local client_encoding = 'UTF8'`);
      await actAsOwner(client);
      const database = new RestoredDatabase(client, await matchTables(client, description));
      await database.prepare();
      await work(database);
      await database.finish();
      await client.query('commit');
    });
    await migrate(migrationUrl);
    await withDedicatedClient(migrationUrl, async (client) => {
      await client.query('begin');
      await actAsOwner(client);
      await client.query('analyze; commit');
    });
  }

  /** Appends a part of a table in the text format of COPY. The caller appends all parts of a table before those of the next one. */
  async append(table: string, part: Uint8Array): Promise<void> {
    if (this.open?.table !== table) {
      await this.closeTable();
      const known = this.tables.get(table);
      if (!known) throw new Error(`The backup has rows of the table ${table}, which it does not describe.`);
      const statement = `copy ${known.name} (${known.columns.join(', ')}) from stdin`;
      this.open = { table, stream: this.client.query(copyFrom(statement)) };
      // The rejection of `finished` has the reason. Without a listener the event would stop the process.
      this.open.stream.on('error', () => undefined);
    }
    const { stream } = this.open;
    if (stream.errored) throw stream.errored;
    if (!stream.write(part)) await new Promise((resolve) => stream.once('drain', resolve).once('close', resolve));
  }

  /** Ends the rows of the last table. Throws the error of the database with the name of the table. */
  async closeTable(): Promise<void> {
    if (this.open === null) return;
    const { table, stream } = this.open;
    this.open = null;
    stream.end();
    await finished(stream).catch((cause: unknown) => {
      const detail = cause instanceof DatabaseError ? `${cause.message} ${cause.detail ?? ''}` : String(cause);
      throw new Error(`The rows of ${table} cannot be restored: ${detail.trim()}`, { cause });
    });
  }

  /** Stores the content of a report, or the URL of its object. */
  async place(orgId: OrgId, sha256: string, { bytes, deflated, location }: RestoredContent): Promise<void> {
    await this.client.query(
      'update public.report_content set bytes = $3, location = $4 where org_id = $1 and sha256 = $2',
      [orgId, sha256, bytes, location],
    );
    for (const [index, block] of deflated.entries()) {
      await this.client.query(
        'insert into public.report_content_block (org_id, sha256, position, deflated) values ($1, $2, $3, $4)',
        [orgId, sha256, index + 1, block],
      );
    }
  }

  /** Counts the rows of a table. */
  async count(table: string): Promise<number> {
    const { rows } = await this.client.query<{ count: string }>(`select count(*) from ${table}`);
    return Number(rows[0]?.count);
  }

  async setSequences(sequences: readonly SequenceValue[]): Promise<void> {
    for (const { name, value, called } of sequences) {
      await this.client.query('select setval($1::regclass, $2, $3)', [name, value, called]);
    }
  }

  /**
   * Opens the tables to the owner and disables their triggers, because the backup contains the counts that they would write. The lock
   * also stops a service that was started in the meantime.
   */
  private async prepare(): Promise<void> {
    const names = [...this.tables.keys()];
    await this.client.query(names.map((name) => `alter table ${name} disable trigger user`).join(';'));
    await this.forced('no force');
    for (const name of names) {
      if (SEEDED.has(name)) await this.client.query(`delete from ${name}`);
      else if ((await this.count(name)) > 0) throw notEmpty(name);
    }
  }

  /**
   * Closes the gate of every release until its facts are read again, because changes after the backup are unknown. Releases the jobs
   * of workers that no longer run.
   */
  private async finish(): Promise<void> {
    await this.closeTable();
    await this.client.query(`
      ${CLOSE_GATES}
      update ${JOB_TABLE} set locked_at = null, locked_by = null where locked_at is not null;
      update ${JOB_QUEUE_TABLE} set locked_at = null, locked_by = null where locked_at is not null;`);
    await this.forced('force');
    await this.client.query([...this.tables.keys()].map((name) => `alter table ${name} enable trigger user`).join(';'));
  }

  private async forced(kind: 'force' | 'no force'): Promise<void> {
    const tenants = [...this.tables.values()].filter(({ tenant }) => tenant);
    await this.client.query(tenants.map(({ name }) => `alter table ${name} ${kind} row level security`).join(';'));
  }
}

/**
 * A hint without a kind concerns every fact that was read before. It replaces all other hints of the workspace. The stored facts
 * and memberships become stale, because they are compared with the time only. Every schedule is due, so that the first sync does
 * not wait for the next interval.
 */
const CLOSE_GATES = `
  update public.release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, now()),
    pull_seen_at = case when pull_seen_at is not null then timestamptz 'epoch' end
  where shipped_at is null and deleted_at is null;
  delete from public.fact_hint;
  insert into public.fact_hint (org_id, number) select org_id, nextval('public.fact_number') from public.organization;
  update public.observation o set observed_at = 'epoch', read_number = h.number
  from public.fact_hint h where h.org_id = o.org_id;
  update public.member set confirmed_at = 'epoch', access_observed_at = null;
  delete from public.scheduled_job;`;

/** A session, sign-in or code that ended after the moment of the database must not be valid again. Backups have none of them. */
const END_SESSIONS = 'delete from public.session; delete from public.login_attempt; delete from public.setup_code;';

/**
 * Closes the gate of every release until its facts are read again, and ends all sessions. For a database that was recovered without
 * a restore.
 */
export function closeGates(url: string): Promise<void> {
  return withDedicatedClient(url, async (client) => {
    await client.query(`begin; set local lock_timeout = '30s'; set local statement_timeout = 0`);
    await actAsOwner(client);
    const force = (kind: string): string =>
      ['release', 'fact_hint', 'organization', 'observation', 'member']
        .map((name) => `alter table public.${name} ${kind} row level security`)
        .join(';');
    await client.query(`${force('no force')}; ${CLOSE_GATES} ${END_SESSIONS} ${force('force')}; commit`);
  });
}

/** Tables into which migrations insert rows. */
const SEEDED: ReadonlySet<string> = new Set([JOB_NAME_TABLE]);

const notEmpty = (table: string): Error =>
  new DatabaseSetupError([
    `it is not empty: ${table} has rows. A backup is restored into an empty database only. Create another one`,
  ]);

/** Throws if the database has a workspace, or tables without migrations. Policies hide other rows, which `prepare` finds. */
async function assertEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('public.${MIGRATIONS_TABLE}') is not null as present`,
  );
  if (rows[0]?.present !== true) {
    const { rows: foreign } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p', 'v', 'm') limit 1`,
    );
    if (foreign[0]) throw notEmpty(foreign[0].name);
    return;
  }
  const { rows: used } = await client.query<{ used: boolean }>(`select count(*) > 0 as used from list_organizations()`);
  if (used[0]?.used === true) throw notEmpty('public.organization');
}

/** Throws if the empty database has migrations that ran after the backup. */
async function assertNotBeyond(url: string, names: readonly string[]): Promise<void> {
  const beyond = migrations.filter(({ name }) => !names.includes(name));
  if (beyond.length === 0) return;
  const pending = await withDedicatedClient(url, (client) => listPendingMigrations(client, beyond));
  if (pending.length < beyond.length) {
    throw new DatabaseSetupError([
      'its tables are of a later version than the backup. Drop the database, create it again without starting the service, and restore',
    ]);
  }
}

async function matchTables(
  client: Client,
  { tables, queueMigration }: DumpDescription,
): Promise<ReadonlyMap<string, DumpedTable>> {
  const { rows } = await client.query<{ last: number }>(`select max(id)::int as last from ${QUEUE_SCHEMA}.migrations`);
  const last = rows[0]?.last ?? 0;
  const present = new Map((await listTables(client)).map((table) => [table.name, table]));
  for (const { name, columns } of tables) {
    const found = present.get(name);
    const missing = columns.filter((column) => found?.columns.includes(column) !== true);
    if (missing.length > 0) {
      throw new Error(
        `The backup has ${found ? `the column ${missing[0]} of ` : ''}the table ${name}, which this version does not have ` +
          `(job library ${queueMigration} in the backup, ${last} here). Restore it with the version that made it.`,
      );
    }
  }
  // The names are now known to be names of this database, which the statements need.
  return new Map(tables.map((table) => [table.name, { ...table, tenant: present.get(table.name)?.tenant === true }]));
}
