import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { ENTITIES, PostgresNames } from '../../src/database/entities/entities.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** A schema next to `public` that TypeORM creates from the entities alone. */
const STATED = 'stated';

/** The statements with which TypeORM would change the migrated schema, and why they are not needed. */
const REVIEWED_STATEMENTS = [
  // TypeORM has no type "char". The entity has the most similar type, so TypeORM would create the column again, without
  // its indexes.
  /^DROP INDEX "public"\."release_active"$/,
  /^DROP INDEX "public"\."release_opened"$/,
  /^ALTER TABLE "release" DROP COLUMN "standing"$/,
  /^DELETE FROM "public"\."typeorm_metadata"/,
  /^ALTER TABLE "release" ADD "standing" character GENERATED ALWAYS AS/,
  /^INSERT INTO "public"\."typeorm_metadata"/,
  // TypeORM accepts no entity without a primary key.
  /^DROP INDEX "public"\."fact_hint_by_number"$/,
  /^ALTER TABLE "fact_hint" ADD CONSTRAINT "fact_hint_pkey" PRIMARY KEY \("number"\)$/,
  /^CREATE INDEX "fact_hint_by_number" ON "fact_hint" {2}\("org_id", "number"\) $/,
];

/**
 * Parts of the migrated schema that the entities cannot describe, and the parts that the entities describe in place of
 * them.
 */
const REVIEWED_PARTS = {
  migrated: [
    /^fact_hint fact_hint_org_id_repository_id_kind_key_key UNIQUE NULLS NOT DISTINCT \(org_id, repository_id, kind, key\)$/,
    /^release\.standing "char" not null generated/,
    /^repository_sync repository_sync_org_id_run_id_fkey .* ON DELETE SET NULL \(run_id\)$/,
  ],
  stated: [
    /^fact_hint fact_hint_org_id_repository_id_kind_key_key UNIQUE \(org_id, repository_id, kind, key\)$/,
    /^fact_hint fact_hint_pkey PRIMARY KEY \(number\)$/,
    /^release\.standing character\(1\) not null generated/,
    /^repository_sync repository_sync_org_id_run_id_fkey .* ON DELETE SET NULL$/,
  ],
};

let database: TestDatabase;
let source: DataSource;

/** A data source of all entities, with a role that can read every table. It changes only schemas of this test. */
const open = (schema: string): Promise<DataSource> => {
  const { options } = createDataSource({ url: database.superuserUrl, poolSize: 1 });
  return new DataSource({
    ...options,
    schema,
    entities: ENTITIES,
    namingStrategy: new PostgresNames(),
    extra: { ...(options.extra as object), options: `-c search_path=${schema},public` },
  } as typeof options).initialize();
};

beforeAll(async () => {
  database = await createTestDatabase();
  await withDedicatedClient(database.superuserUrl, (client) => client.query(`create schema ${STATED}`));
  const stated = await open(STATED);
  await stated.driver.createSchemaBuilder().build();
  await stated.destroy();
  source = await open('public');
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

it('every table has an entity, and every column a property', async () => {
  const columns = await source.query<{ name: string }[]>(
    `select attrelid::regclass || '.' || attname as name from pg_attribute a join pg_class t on t.oid = attrelid
     where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and attnum > 0 and not attisdropped`,
  );
  const stated = source.entityMetadatas.flatMap(({ tableName, columns: properties }) =>
    properties.map(({ databaseName }) => `${tableName}.${databaseName}`),
  );
  expect(stated.toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
});

it('every index has an entity that names it', async () => {
  const indexes = await source.query<{ name: string }[]>(
    `select indrelid::regclass || '.' || i.relname as name from pg_index join pg_class i on i.oid = indexrelid
     where i.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  const stated = source.entityMetadatas.flatMap(({ tableName, indices }) =>
    indices.map(({ name }) => `${tableName}.${name}`),
  );
  expect(stated.toSorted()).toEqual(indexes.map(({ name }) => name).toSorted());
});

it('TypeORM finds no difference between the entities and the migrated schema', async () => {
  // TypeORM reads the expressions of generated columns from its own table, not from the catalogs. The next test
  // compares them.
  await source.query(
    `create table typeorm_metadata as
     select type, database, 'public' as schema, "table", name, value from ${STATED}.typeorm_metadata`,
  );
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual(
    REVIEWED_STATEMENTS.map((statement) => expect.stringMatching(statement)),
  );
});

it('a schema that TypeORM creates from the entities equals the migrated schema in columns, constraints and indexes', async () => {
  const leftOut = new Set<string>(
    source.entityMetadatas.flatMap(({ indices }) =>
      indices.filter(({ synchronize }) => !synchronize).map(({ name }) => name),
    ),
  );
  const parts = await partsOf('public');
  const indexesLeftOut = parts.filter(({ index }) => index !== null && leftOut.has(index));
  const migrated = parts.filter((part) => !indexesLeftOut.includes(part)).map(({ sql }) => sql);
  const stated = (await partsOf(STATED)).map(({ sql }) => sql);
  expect({
    migrated: migrated.filter((part) => !stated.includes(part)).toSorted(),
    stated: stated.filter((part) => !migrated.includes(part)).toSorted(),
  }).toEqual({
    migrated: REVIEWED_PARTS.migrated.map((part) => expect.stringMatching(part)),
    stated: REVIEWED_PARTS.stated.map((part) => expect.stringMatching(part)),
  });
  // Migrations create the indexes with an order, an expression or included columns, which TypeORM cannot describe.
  const beyondTypeorm = /\b(DESC|INCLUDE|NULLS FIRST)\b|btree \([^)]*\(/;
  expect(indexesLeftOut.filter(({ sql }) => !beyondTypeorm.test(sql))).toEqual([]);
});

/** A column, a constraint or an index, in the notation of Postgres. */
interface Part {
  /** The name of the index. */
  readonly index: string | null;
  readonly sql: string;
}

async function partsOf(schema: string): Promise<Part[]> {
  return withDedicatedClient(database.superuserUrl, async (client) => {
    // Postgres writes a name without its schema if the search path contains the schema.
    await client.query(`set search_path to ${schema}, public`);
    const { rows } = await client.query<Part>(
      `with relation as (
         select oid, relname as table from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p')
           and relname <> 'typeorm_metadata')
       select null as index, concat_ws(' ', format('%I.%I', "table", attname), format_type(atttypid, atttypmod),
         case when attcollation <> typcollation then 'collate ' || attcollation::regcollation end,
         case when attnotnull then 'not null' end, case when attidentity = 'a' then 'generated always as identity' end,
         case when attgenerated = 's' then 'generated always as' end,
         -- TypeORM writes the default of a bigint as text.
         regexp_replace(pg_get_expr(adbin, adrelid), '^''(\\d+)''::bigint$', '\\1')) as sql
       from relation join pg_attribute on attrelid = oid join pg_type type on type.oid = atttypid
         left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attnum > 0 and not attisdropped
       union all
       select null, format('%I %I %s', "table", conname, pg_get_constraintdef(c.oid, true))
       from relation join pg_constraint c on conrelid = relation.oid where contype in ('p', 'u', 'f', 'c', 'x')
       union all
       select i.relname, pg_get_indexdef(indexrelid, 0, true)
       from relation join pg_index on indrelid = relation.oid join pg_class i on i.oid = indexrelid
       where not exists (select from pg_constraint where conindid = indexrelid)`,
      [schema],
    );
    return rows;
  });
}
