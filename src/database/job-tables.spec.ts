import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { withDedicatedClient } from './dedicated-client.js';
import { JOB_NAME_TABLE, JOB_QUEUE_TABLE, JOB_SCHEDULE_TABLE, JOB_TABLE } from './job-tables.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

const TEXT = 'text';
const TIME = 'timestamp with time zone';

it.each([
  [
    JOB_TABLE,
    {
      id: 'bigint',
      job_queue_id: 'integer',
      task_id: 'integer',
      payload: 'json',
      run_at: TIME,
      attempts: 'smallint',
      max_attempts: 'smallint',
      last_error: TEXT,
      created_at: TIME,
      updated_at: TIME,
      key: TEXT,
      locked_at: TIME,
      locked_by: TEXT,
    },
  ],
  [JOB_QUEUE_TABLE, { id: 'integer', queue_name: TEXT, locked_at: TIME, locked_by: TEXT }],
  [JOB_NAME_TABLE, { id: 'integer', identifier: TEXT }],
  [JOB_SCHEDULE_TABLE, { identifier: TEXT }],
])('%s has the columns that the statements of the service use', async (table, columns) => {
  const found = await withDedicatedClient(testDatabase.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    return Object.fromEntries(rows.map(({ name, type }) => [name, type]));
  });
  expect(found).toMatchObject(columns);
});

it('no other source names a private table of the job library', () => {
  const sources = ['src', 'test', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  expect(sources.length).toBeGreaterThan(1000);
  const named = sources.filter((file) => /\b_private_[a-z]/.test(readFileSync(file, 'utf8')));
  expect(named).toEqual([path.join('src', 'database', 'job-tables.ts')]);
});
