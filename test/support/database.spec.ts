import { describe, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { createTestDatabase } from './database.js';

describe('a test database', () => {
  it('has the whole schema, belongs to one test, and is gone after it is dropped', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const tables = `select count(*)::int as tables from pg_tables where schemaname = 'public'`;
    const count = await withDedicatedClient(
      first.appUrl,
      async (client) => (await client.query<{ tables: number }>(tables)).rows[0],
    );
    expect(count?.tables).toBeGreaterThan(5);
    await withDedicatedClient(first.ownerUrl, (client) =>
      client.query('set role shipgate_owner; create table only_here (n int)'),
    );
    const seen = `select to_regclass('public.only_here') as table`;
    expect(await withDedicatedClient(second.appUrl, async (client) => (await client.query(seen)).rows)).toEqual([
      { table: null },
    ]);

    await Promise.all([first.drop(), second.drop()]);
    await expect(withDedicatedClient(first.superuserUrl, async () => undefined)).rejects.toMatchObject({
      code: '3D000',
    });
  });
});
