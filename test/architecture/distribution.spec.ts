import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, type DatabaseError } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { insertTenantRows, PAIR } from './tenant-rows.js';

/**
 * Unique keys that cross workspaces, and the place of their tables in a divided database (docs/adr/0041). Without them
 * these tables could be divided like the others.
 */
const GLOBAL_KEYS: ReadonlyMap<string, string> = new Map([
  ['api_key_secret_hash_key', 'digests of 256 random bits do not collide; the look-up needs a directory'],
  ['personal_key_secret_hash_key', 'digests of 256 random bits do not collide; the look-up needs a directory'],
  ['organization_github_id_key', 'the directory of workspaces'],
  ['organization_installation_id_key', 'the directory of workspaces'],
]);
/** The error of Postgres if a unique key of a divided table does not contain the column that divides it. */
const KEY_ACROSS_PARTS = '0A000';

let database: TestDatabase;
let client: Client;
let tables: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(database.superuserUrl);
  await client.connect();
  tables = await names(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
  );
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const names = async (sql: string): Promise<string[]> =>
  (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name).toSorted();

interface Key {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}
const constraints = async (type: 'f' | 'u'): Promise<readonly Key[]> =>
  (
    await client.query<Key>(
      `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where connamespace = 'public'::regnamespace and contype = $1 and conrelid::regclass::text = any ($2)`,
      [type, tables],
    )
  ).rows;

/** Runs a statement. Returns the error code of Postgres, or null if the statement succeeds. */
async function errorCodeOf(statement: string): Promise<string | null> {
  await client.query('savepoint attempt');
  try {
    await client.query(statement);
    return null;
  } catch (error) {
    await client.query('rollback to savepoint attempt');
    return (error as DatabaseError).code ?? String(error);
  }
}

it('lets Postgres divide every table of a tenant by workspace, with all of its keys', async () => {
  const [foreignKeys, uniqueKeys] = [await constraints('f'), await constraints('u')];
  expect(foreignKeys.length).toBeGreaterThan(50);
  await client.query('begin');
  try {
    await client.query('create schema divided');
    const divide = (table: string) =>
      errorCodeOf(`create table divided.${table} (like public.${table} including all) partition by list (org_id)`);

    // Postgres rejects exactly the tables with a key across workspaces.
    const refused: string[] = [];
    for (const table of tables) {
      const code = await divide(table);
      if (code !== null) refused.push(`${table} ${code}`);
    }
    const exceptions = uniqueKeys.filter(({ name }) => GLOBAL_KEYS.has(name));
    expect(exceptions).toHaveLength(GLOBAL_KEYS.size);
    const excepted = [...new Set(exceptions.map(({ table }) => table))].toSorted();
    expect(refused).toEqual(excepted.map((table) => `${table} ${KEY_ACROSS_PARTS}`));

    // Without that key it accepts them too.
    for (const { table, name } of exceptions) await client.query(`alter table public.${table} drop constraint ${name}`);
    for (const table of excepted) expect([table, await divide(table)]).toEqual([table, null]);

    await client.query('set local search_path = divided');
    for (const table of tables) {
      for (const [part, tenant] of Object.entries(PAIR)) {
        await client.query(`create table ${table}_of_${part} partition of ${table} for values in ('${tenant}')`);
      }
    }
    // Every foreign key stays within a workspace, so Postgres can check it within a part.
    for (const { table, name, definition } of foreignKeys) {
      expect([name, await errorCodeOf(`alter table ${table} add constraint ${name} ${definition}`)]).toEqual([
        name,
        null,
      ]);
    }
    for (const table of tables) {
      await insertTenantRows(client, table);
      const { rows } = await client.query(
        `select org_id as tenant, tableoid::regclass::text as part from ${table} order by org_id`,
      );
      expect(rows).toEqual([
        { tenant: PAIR.first, part: `${table}_of_first` },
        { tenant: PAIR.second, part: `${table}_of_second` },
      ]);
    }
  } finally {
    await client.query('rollback');
  }
});
