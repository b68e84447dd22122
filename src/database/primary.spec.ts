import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { freePort } from '../../test/support/free-port.js';
import { Database } from './database.js';
import { withDedicatedClient } from './dedicated-client.js';
import { primaryUrl } from './primary.js';

/** Functions of this schema hide those of the server, so that a test can set the state of the server. */
const PRETENCE = `
  create schema pretence;
  create table pretence.server (is_standby boolean, timeline int);
  insert into pretence.server values (false, 1);
  create function pretence.pg_is_in_recovery() returns boolean language sql volatile security definer
    as 'select is_standby from pretence.server';
  create function pretence.pg_walfile_name(pg_lsn) returns text language sql volatile security definer
    as $$select lpad(to_hex(timeline), 8, '0') || '0000000000000001' from pretence.server$$;
  grant usage on schema pretence to shipgate_app;`;

describe('the primary', () => {
  let test: TestDatabase;
  let database: Database;
  const asSuperuser = (sql: string): Promise<unknown> => withDedicatedClient(test.superuserUrl, (c) => c.query(sql));
  const pretend = (isStandby: boolean, timeline: number): Promise<unknown> =>
    asSuperuser(`update pretence.server set is_standby = ${isStandby}, timeline = ${timeline}`);

  beforeAll(async () => {
    test = await createTestDatabase();
    await asSuperuser(PRETENCE);
    await asSuperuser(`alter database ${test.name} set search_path = pretence, pg_catalog, public`);
  });
  beforeEach(async () => {
    await database?.close();
    await pretend(false, 1);
    database = await Database.open({ url: test.appUrl, poolSize: 3 });
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  it('is the only server whose connections are accepted', async () => {
    await pretend(true, 1);
    await expect(Database.open({ url: test.appUrl })).rejects.toMatchObject({ code: '25006' });
  });

  it('ends all sessions with a former primary, also busy ones, and rejects new ones', async () => {
    const [used, idle] = [await database.pool.connect(), await database.pool.connect()];
    idle.release();
    const ended = used.query('select pg_sleep(60)');
    await pretend(false, 2);
    // The third connection leads to the new primary.
    const [taken, third] = [await database.pool.connect(), await database.pool.connect()];
    await expect(ended).rejects.toThrow('Another server has become the primary.');
    used.release();
    taken.release();
    third.release();
    expect(database.pool.totalCount).toBe(1);

    await pretend(false, 1);
    const other = await database.pool.connect();
    await expect(database.pool.query('select 1')).rejects.toMatchObject({ code: '25006' });
    other.release();
  });

  it('works with a server that does not report its timeline', async () => {
    await asSuperuser(`revoke execute on function pretence.pg_walfile_name from public`);
    const without = await Database.open({ url: test.appUrl, poolSize: 1 });
    expect(await without.findWriteProblem()).toBeNull();
    await without.close();
    await asSuperuser(`grant execute on function pretence.pg_walfile_name to public`);
  });

  it('is found among several hosts', async () => {
    const { host } = new URL(test.appUrl);
    const several = test.appUrl.replace(host, `127.0.0.1:${await freePort()},${host}`);
    expect(await primaryUrl(several)).toBe(test.appUrl);
    const found = await Database.open({ url: several, poolSize: 1 });
    expect(await found.findWriteProblem()).toBeNull();
    await found.close();
    await pretend(true, 1);
    await expect(primaryUrl(several)).rejects.toThrow(/ECONNREFUSED|standby/);
  });
});
