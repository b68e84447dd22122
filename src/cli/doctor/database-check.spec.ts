import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { checkDatabase } from './database-check.js';

describe('the check of writes', () => {
  let test: TestDatabase;

  const asSuperuser = (sql: string): Promise<unknown> =>
    withDedicatedClient(test.superuserUrl, (client) => client.query(sql));

  async function check(): Promise<unknown> {
    const database = await Database.open({ url: test.appUrl, poolSize: 2 });
    try {
      return (await checkDatabase(database, new Clock())).filter(({ of }) => of === 'database writes');
    } finally {
      await database.close();
    }
  }

  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  it('passes if the database accepts writes', async () => {
    expect(await check()).toEqual([expect.objectContaining({ status: 'ok', message: 'it accepts writes' })]);
  });

  it('names a read-only server', async () => {
    await asSuperuser(`alter database ${test.name} set default_transaction_read_only = on`);
    expect(await check()).toEqual([
      {
        status: 'fail',
        of: 'database writes',
        message: 'a write fails: it is read-only',
        remedy: expect.stringContaining('default_transaction_read_only'),
      },
    ]);
  });

  it('names a full disk, also if a small write still finds space', async () => {
    await asSuperuser(`create or replace function probe_write(needs_space boolean) returns void language plpgsql as $$
      begin
        if needs_space then raise exception 'could not extend file' using errcode = '53100'; end if;
      end $$`);
    expect(await check()).toEqual([
      expect.objectContaining({ status: 'fail', message: 'a write fails: its disk is full' }),
    ]);
  });

  it('is left out if migrations did not run, because it needs the current schema', async () => {
    await asSuperuser(`delete from schema_migration where timestamp = (select max(timestamp) from schema_migration)`);
    expect(await check()).toEqual([]);
  });
});
