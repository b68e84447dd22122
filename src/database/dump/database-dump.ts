import { Readable } from 'node:stream';
import { type Client, escapeLiteral } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DatabaseSetupError } from '../database-setup.error.js';
import { withDedicatedClient } from '../dedicated-client.js';
import type { OrgId } from '../ids.js';
import { QUEUE_SCHEMA } from '../migrate.js';
import { MIGRATIONS_TABLE } from '../migration-status.js';
import { actAsOwner } from './owner-access.js';
import { type DumpedTable, listTables } from './table-list.js';

/** A database at the moment of a backup. */
export interface DumpDescription {
  /** When the snapshot was taken, by the clock of the database. */
  readonly at: string;
  readonly serverVersion: string;
  /** The names of the migrations that ran, in order. */
  readonly migrations: readonly string[];
  /** The number of the job library's last migration. */
  readonly queueMigration: number;
  readonly tables: readonly DumpedTable[];
  /** The logins of the workspaces. */
  readonly workspaces: readonly string[];
  /** The ids of the keys of `ENCRYPTION_KEYS` without which the service does not start. */
  readonly encryptionKeyIds: readonly string[];
  /** Whether the GitHub App's credentials are in the database. */
  readonly hasAppCredentials: boolean;
}

/** A report file outside the database. */
export interface OutsideFile {
  readonly orgId: OrgId;
  readonly sha256: string;
  readonly location: string;
}

export interface SequenceValue {
  readonly name: string;
  readonly value: string;
  readonly called: boolean;
}

// The text format of COPY depends on these settings. They are those of pg_dump.
const PORTABLE_TEXT = `
  set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local extra_float_digits = 3;
  set local bytea_output = 'hex'; set local timezone = 'UTC'; set local search_path = pg_catalog, public;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '30s';`;

const FETCHED = 500;

/**
 * Reads a database in one snapshot, while the service uses it. Acts as the owner. The policies also apply to the owner, and no role
 * can read several workspaces at once, so it reads one workspace after the other.
 */
export class DatabaseDump {
  private constructor(
    private readonly client: Client,
    private readonly tenants: readonly { readonly orgId: OrgId; readonly login: string }[],
    private readonly isPartial: boolean,
  ) {}

  /** Opens the snapshot for the time of the work. With a login, only the rows of this workspace are read. */
  static async open<T>(url: string, login: string | null, work: (dump: DatabaseDump) => Promise<T>): Promise<T> {
    return withDedicatedClient(url, async (client) => {
      await client.query(`begin isolation level repeatable read read only; ${PORTABLE_TEXT}`);
      await actAsOwner(client);
      const { rows: found } = await client.query<{ present: boolean }>(
        `select to_regclass('public.${MIGRATIONS_TABLE}') is not null as present`,
      );
      if (found[0]?.present !== true) throw new DatabaseSetupError(['it has no tables; start the service once']);
      const { rows: tenants } = await client.query<{ orgId: OrgId; login: string }>(
        `select org_id as "orgId", login from list_organizations() where $1::text is null or lower(login) = lower($1)`,
        [login],
      );
      if (login !== null && tenants.length === 0) throw new Error(`There is no workspace named "${login}".`);
      return work(new DatabaseDump(client, tenants, login !== null));
    });
  }

  async describe(): Promise<DumpDescription> {
    const { rows } = await this.client.query<Omit<DumpDescription, 'tables' | 'workspaces' | 'encryptionKeyIds'>>(
      `select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, current_setting('server_version') as "serverVersion",
         (select array_agg(name order by id) from public.${MIGRATIONS_TABLE}) as migrations,
         (select max(id)::int from ${QUEUE_SCHEMA}.migrations) as "queueMigration",
         exists (select from public.app_configuration) as "hasAppCredentials"`,
    );
    const [row] = rows;
    const tables = await listTables(this.client);
    if (!row) throw new Error('The database did not describe itself.');
    return {
      ...row,
      tables: tables.filter(({ tenant }) => tenant || !this.isPartial),
      workspaces: this.tenants.map(({ login }) => login),
      encryptionKeyIds: await this.listEncryptionKeyIds(),
    };
  }

  /** Yields the rows of a table in the text format of COPY. */
  async *read({ name, columns, tenant }: DumpedTable): AsyncGenerator<Buffer> {
    const rows = `select ${columns.join(', ')} from ${name}`;
    if (!tenant) yield* this.copy(`copy (${rows}) to stdout`);
    else {
      for (const { orgId } of this.tenants) {
        await this.enter(orgId);
        // The filter is needed, because the owner may read some tables across workspaces for the lookups.
        yield* this.copy(`copy (${rows} where org_id = ${escapeLiteral(orgId)}) to stdout`);
      }
    }
  }

  /** Yields the report files that are outside the database. */
  async *listOutsideFiles(): AsyncGenerator<OutsideFile> {
    for (const { orgId } of this.tenants) {
      await this.enter(orgId);
      for (let after = ''; ;) {
        const { rows } = await this.client.query<OutsideFile>(
          `select org_id as "orgId", sha256, location from public.report_content
           where org_id = $1 and location is not null and removed_at is null and sha256 > $2 order by sha256 limit ${FETCHED}`,
          [orgId, after],
        );
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < FETCHED) break;
        after = last.sha256;
      }
    }
  }

  /** Sequences are outside of the snapshot, so their values are never lower than those in the rows. */
  async listSequences(): Promise<readonly SequenceValue[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `select format('%I.%I', schemaname, sequencename) as name from pg_sequences
       where schemaname in ('public', $1) and not starts_with(sequencename, '${MIGRATIONS_TABLE}') order by 1`,
      [QUEUE_SCHEMA],
    );
    const values: SequenceValue[] = [];
    for (const { name } of rows) {
      const { rows: read } = await this.client.query<SequenceValue>(
        `select $1 as name, last_value::text as value, is_called as called from ${name}`,
        [name],
      );
      values.push(...read);
    }
    return values;
  }

  private async listEncryptionKeyIds(): Promise<readonly string[]> {
    // Keys of the tokens of users and repositories are not necessary, because a user can sign in again and give a new token.
    const { rows } = await this.client.query<{ kid: string }>(
      `select split_part(encrypted_credentials, '.', 2) as kid from public.app_configuration
       union select split_part(encrypted_private_key, '.', 2) from public.signing_key
       where encrypted_private_key is not null order by 1`,
    );
    return rows.map(({ kid }) => kid);
  }

  private async enter(orgId: OrgId): Promise<void> {
    await this.client.query(`select set_config('app.org_id', $1, true)`, [orgId]);
  }

  private copy(statement: string): AsyncIterable<Buffer> {
    return this.client.query(copyTo(statement)) satisfies Readable;
  }
}
