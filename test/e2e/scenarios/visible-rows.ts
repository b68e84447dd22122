import type { Client } from 'pg';
import { withDedicatedClient } from '../../../src/database/dedicated-client.js';
import { APP_ROLE } from '../../../src/database/roles.js';
import { insertRow } from '../../architecture/tenant-rows.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** The SQL expression for the repository of a row, by the column with which the table names it. */
const REPOSITORY_OF = {
  repository_id: 't.repository_id',
  repository_ids: 't.repository_ids[1]',
  release_id: '(select r.repository_id from release r where r.id = t.release_id)',
  evidence_id: '(select e.repository_id from evidence e where e.id = t.evidence_id)',
  id: 't.id',
} as const;

/** Rows as text, by the name of their table. */
export type RowsByTable = ReadonlyMap<string, readonly string[]>;

/** The tables with a viewer policy, and the rows that each viewer can read. It reads without the service, in transactions that are rolled back. */
export class VisibleRows {
  private constructor(
    private readonly url: string,
    readonly tables: readonly string[],
  ) {}

  static async of(env: TestEnvironment): Promise<VisibleRows> {
    const rows = await env.asSuperuser<{ readonly table: string }>(
      `select tablename as table from pg_policies where policyname = 'viewer' order by 1`,
    );
    return new VisibleRows(
      env.databaseUrls.superuserUrl,
      rows.map(({ table }) => table),
    );
  }

  /** Every row that belongs to a repository, whatever its visibility. */
  async ofRepository(githubId: number): Promise<RowsByTable> {
    return this.collect(async (client, table) => {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${table} t
         where ${await repositoryOf(client, table)} = (select id from repository where github_id = $1)`,
        [githubId],
      );
      return rows;
    });
  }

  /** Inserts a row of the repository into each table that has none, so that every table is tested. */
  async registerSecrets(githubId: number, n: number): Promise<void> {
    const present = await this.ofRepository(githubId);
    await withDedicatedClient(this.url, async (client) => {
      // Off, because the test is about the visibility of the row, not about its references.
      await client.query('set session_replication_role = replica');
      const { rows } = await client.query<{ readonly org_id: string; readonly id: string; readonly release: string }>(
        `select r.org_id, r.id, (select e.id from release e where e.repository_id = r.id limit 1) as release
         from repository r where r.github_id = $1`,
        [githubId],
      );
      for (const { org_id: orgId, id, release } of rows) {
        for (const table of this.tables.filter((name) => present.get(name)?.length === 0)) {
          const columns = await columnsIn(client, table);
          const owner = columns.has('repository_id')
            ? (['repository_id', id] as const)
            : columns.has('repository_ids')
              ? (['repository_ids', `{${id}}`] as const)
              : (['release_id', release] as const);
          await insertRow(client, table, new Map([['org_id', orgId], owner]), n);
        }
      }
    });
  }

  /** The rows of each table that the viewer can read under the present policies. */
  async visibleTo(orgId: string, userId: number): Promise<RowsByTable> {
    return this.collect(async (client, table) => readVisible(client, table, orgId, userId));
  }

  /** The rows of one table that the viewer can read without its viewer policy. */
  async visibleWithoutPolicy(table: string, orgId: string, userId: number): Promise<readonly string[]> {
    return this.undone(async (client) => {
      await client.query(`drop policy viewer on ${table}`);
      return (await readVisible(client, table, orgId, userId)).map(({ row }) => row);
    });
  }

  /** The number of evaluations of each part of the plan with which Postgres reads a table for the viewer. */
  async loopsOf(table: string, orgId: string, userId: number): Promise<readonly number[]> {
    return this.undone(async (client) => {
      await enter(client, orgId, userId);
      const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
        `explain (analyze, format json, timing off) select * from ${table}`,
      );
      return loopsIn(rows[0]?.['QUERY PLAN']);
    });
  }

  private async collect(
    read: (client: Client, table: string) => Promise<readonly { readonly row: string }[]>,
  ): Promise<RowsByTable> {
    return this.undone(async (client) => {
      const found = new Map<string, readonly string[]>();
      for (const table of this.tables) {
        await client.query('savepoint before_table');
        found.set(
          table,
          (await read(client, table)).map(({ row }) => row),
        );
        await client.query('rollback to savepoint before_table');
      }
      return found;
    });
  }

  private async undone<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return withDedicatedClient(this.url, async (client) => {
      await client.query('begin');
      const result = await work(client);
      await client.query('rollback');
      return result;
    });
  }
}

async function enter(client: Client, orgId: string, userId: number): Promise<void> {
  await client.query(`set local role ${APP_ROLE}`);
  await client.query(`select set_config('app.org_id', $1, true), set_config('app.viewer', $2, true)`, [
    orgId,
    String(userId),
  ]);
}

async function readVisible(
  client: Client,
  table: string,
  orgId: string,
  userId: number,
): Promise<{ readonly row: string }[]> {
  await enter(client, orgId, userId);
  return (await client.query<{ row: string }>(`select t::text as row from ${table} t`)).rows;
}

async function columnsIn(client: Client, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and not attisdropped`,
    [table],
  );
  return new Set(rows.map(({ column }) => column));
}

async function repositoryOf(client: Client, table: string): Promise<string> {
  const columns = await columnsIn(client, table);
  const [, expression] = Object.entries(REPOSITORY_OF).find(([column]) => columns.has(column)) ?? [];
  if (expression === undefined) throw new Error(`the repository of the rows of ${table} is unknown`);
  return expression;
}

function loopsIn(plan: unknown): readonly number[] {
  if (Array.isArray(plan)) return plan.flatMap(loopsIn);
  if (typeof plan !== 'object' || plan === null) return [];
  const { 'Actual Loops': loops } = plan as { readonly 'Actual Loops'?: number };
  return [...(loops === undefined ? [] : [loops]), ...Object.values(plan).flatMap(loopsIn)];
}
