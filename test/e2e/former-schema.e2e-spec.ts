import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { migrations } from '../../migrations/index.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { migrate } from '../../src/database/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';

type Rows = Readonly<Record<string, unknown>>[];

/** The version before deployments, soaks and artifacts. */
const FORMER = '1796000000000';
const DECISIONS = 23;

const readFixture = (): Readonly<Record<string, Rows>> =>
  JSON.parse(gunzipSync(readFileSync(`test/fixtures/former-schema/${FORMER}.json.gz`)).toString('utf8')) as Readonly<
    Record<string, Rows>
  >;

let database: TestDatabase;
const asSuperuser = async <R extends object>(statement: string): Promise<readonly R[]> =>
  withDedicatedClient(database.superuserUrl, async (client) => (await client.query<R>(statement)).rows);

/** Writes the rows as they were, without the triggers that count them. */
async function load(client: Client, table: string, rows: Rows): Promise<void> {
  const { rows: columns } = await client.query<{ readonly name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await client.query(
    `insert into ${table} (${names}) overriding system value select ${names} from jsonb_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  const before = migrations.filter(({ name }) => name.endsWith(FORMER));
  expect(await migrate(database.ownerUrl, before)).toEqual(before.map(({ name }) => name));
  await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    for (const [table, rows] of Object.entries(readFixture())) await load(client, table, rows);
  });
});
afterAll(() => database.drop());

it('keeps every row of evidence, decisions and history, and replays each decision as before', async () => {
  expect(await replayStoredDecisions({ asSuperuser })).toEqual({ count: DECISIONS, differing: [] });
  const ran = await migrate(database.ownerUrl);
  expect(ran).toEqual(migrations.slice(1).map(({ name }) => name));
  for (const [table, rows] of Object.entries(readFixture())) {
    const present = await asSuperuser<{ readonly row: object }>(`select to_jsonb(t) as row from ${table} t`);
    // A migration may add columns. What was stored stays.
    expect(present.map(({ row }) => row)).toEqual(
      expect.arrayContaining(rows.map((row) => expect.objectContaining(row) as unknown)),
    );
    expect(present).toHaveLength(rows.length);
  }
  expect(await replayStoredDecisions({ asSuperuser })).toEqual({ count: DECISIONS, differing: [] });
});

it('finds a decision that replays differently', async () => {
  const [changed] = await asSuperuser<{ readonly id: string }>(
    `update decision set verdict = jsonb_set(verdict, '{stage}', '"PLANNING"')
     where id = (select id from decision where verdict ->> 'stage' = 'DEPLOYMENT' limit 1) returning id`,
  );
  const { differing } = await replayStoredDecisions({ asSuperuser });
  expect(differing).toEqual([`stage of ${changed?.id}`]);
});
