import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let source: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  source = await createDataSource({ url: database.superuserUrl, poolSize: 1 }).initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

it('each column of an entity has its type, whether it can be null, and its place in the key as in the migrated schema', async () => {
  const columns = await source.query<{ readonly column: string }[]>(
    `select concat_ws(' ', attrelid::regclass || '.' || attname, format_type(atttypid, atttypmod),
       case when attnotnull then 'not null' end, case when attnum = any(conkey) then 'key' end) as column
     from pg_attribute join pg_constraint on conrelid = attrelid and contype = 'p' where attnum > 0 and not attisdropped`,
  );
  const stated = source.entityMetadatas.flatMap(({ tableName, columns: properties }) =>
    properties.map((column) =>
      [
        `${tableName}.${column.databaseName}`,
        `${source.driver.normalizeType(column)}${column.isArray ? '[]' : ''}`,
        ...(column.isNullable ? [] : ['not null']),
        ...(column.isPrimary ? ['key'] : []),
      ].join(' '),
    ),
  );
  expect(stated.length).toBeGreaterThan(0);
  expect(columns.map(({ column }) => column)).toEqual(expect.arrayContaining(stated));
});
