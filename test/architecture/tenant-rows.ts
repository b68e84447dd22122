import type { Client } from 'pg';

interface ColumnShape {
  readonly name: string;
  readonly type: string;
  readonly elements: string[] | null;
}

/** Two tenants with a row each in a table, and how many rows each tenant should see. */
export interface TenantPair {
  readonly first: string;
  readonly second: string;
}

export const PAIR: TenantPair = {
  first: '00000000-0000-4000-8000-000000000001',
  second: '00000000-0000-4000-8000-000000000002',
};

/**
 * Inserts one row for each tenant of the pair. The columns come from the catalog, so a new table needs no change here.
 * Foreign keys are off meanwhile, because the test is about the visibility of the row, not about its references.
 */
export async function insertTenantRows(client: Client, table: string): Promise<void> {
  await client.query(`set local session_replication_role = replica`);
  for (const [index, tenant] of [PAIR.first, PAIR.second].entries()) {
    await insertRow(client, table, new Map([['org_id', tenant]]), index + 1);
  }
}

/** Inserts a row with the given values. The catalog determines the other required values, which differ for each `n`. */
export async function insertRow(
  client: Client,
  table: string,
  given: ReadonlyMap<string, string>,
  n: number,
): Promise<void> {
  const columns = await requiredColumnsOf(client, table, [...given.keys()]);
  const allowed = await allowedValues(client, table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((column) => {
    const value = given.get(column.name);
    return value === undefined ? (allowed.get(column.name) ?? sampleOf(column, n)) : `'${value}'`;
  });
  await client.query(`insert into ${table} (${names}) overriding system value values (${values.join(', ')})`);
}

/** The columns of an insert, as SQL: all except those that Postgres generates. */
export async function columnsOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]?.columns ?? '';
}

async function requiredColumnsOf(
  client: Client,
  table: string,
  given: readonly string[],
): Promise<readonly ColumnShape[]> {
  const { rows } = await client.query<ColumnShape>(
    `select attname as name, format_type(atttypid, atttypmod) as type,
       (select array_agg(enumlabel::text) from pg_enum where enumtypid = atttypid) as elements
     from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
       and (attname = any ($2) or (attnotnull and not atthasdef))`,
    [table, given],
  );
  return rows;
}

/** The first allowed value, as SQL, of each check of the form `column in (…)` or `column <@ array[…]`, by column. */
async function allowedValues(client: Client, table: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select attname as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
     where c.conrelid = $1::regclass and c.contype = 'c'`,
    [table],
  );
  const values = new Map<string, string>();
  for (const { name, definition } of rows) {
    const first = /ARRAY\[('(?:[^']|'')*')/.exec(definition)?.[1];
    if (first !== undefined) values.set(name, definition.includes('<@') ? `array[${first}]` : first);
  }
  return values;
}

function sampleOf({ name, type, elements }: ColumnShape, n: number): string {
  if (elements?.[0] !== undefined) return `'${elements[0]}'`;
  if (type.endsWith('[]')) return `'{}'::${type}`;
  if (type === 'uuid') return `'00000000-0000-4000-9000-00000000000${n}'`;
  if (/^(smallint|integer|bigint|numeric|real|double)/.test(type)) return String(n);
  if (/^(text|character|citext)/.test(type)) return `'${n}'`;
  if (type === 'boolean') return 'false';
  if (type === 'bytea') return `'\\x0${n}'`;
  if (type === 'jsonb' || type === 'json') return `'{}'`;
  if (/^(timestamp|date)/.test(type)) return `'2026-01-0${n}'`;
  if (type === 'interval') return `'${n} days'`;
  if (type === 'inet') return `'192.0.2.${n}'`;
  throw new Error(`No sample is known for ${name} of type ${type}: add one here.`);
}
