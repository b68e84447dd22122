import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { testServer } from '../../test/support/test-server.js';
import { openConnections } from './connections.js';
import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { migrate } from './migrate.js';
import { assertRoles, databaseUrl, isSuperuser, createRoles } from './roles.js';

describe('the roles', () => {
  const databases: string[] = [];
  const newDatabase = (): string => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    databases.push(name);
    return databaseUrl(testServer().superuserUrl, name);
  };
  const query = <Row extends object>(url: string, sql: string): Promise<Row[]> =>
    withDedicatedClient(url, async (client) => (await client.query<Row>(sql)).rows);

  afterEach(async () => {
    for (const name of databases.splice(0)) {
      await query(testServer().superuserUrl, `drop database if exists ${name} with (force)`);
    }
  });

  it('are made with their database, by several processes at once, and log in', async () => {
    const url = newDatabase();
    const made = await Promise.all([createRoles(url), createRoles(url), createRoles(url)]);
    expect(new Set(made.map((urls) => JSON.stringify(urls))).size).toBe(1);
    const { runtimeUrl, migrationUrl } = made[0];
    expect(await query(runtimeUrl, `select current_user as user, current_setting('jit') as jit`)).toEqual([
      { user: 'shipgate_app', jit: 'off' },
    ]);
    expect(await query(migrationUrl, `select pg_has_role('shipgate_owner', 'member') as owns`)).toEqual([
      { owns: true },
    ]);
  });

  it('lose the powers that somebody gave them', async () => {
    const url = newDatabase();
    await createRoles(url);
    await query(url, 'alter role shipgate_lookup createdb');
    await createRoles(url);
    expect(
      await query(
        url,
        `select rolname as name from pg_roles where rolname like 'shipgate%'
         and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication)`,
      ),
    ).toEqual([]);
    expect(
      await query(
        url,
        `select rolname as name from pg_roles where rolname like 'shipgate%' and rolcanlogin order by 1`,
      ),
    ).toEqual([{ name: 'shipgate_app' }, { name: 'shipgate_migrator' }]);
  });

  it('leave nobody else a way into the database', async () => {
    const url = newDatabase();
    await createRoles(url);
    const outsider = `outsider_${randomBytes(4).toString('hex')}`;
    await query(url, `create role ${outsider} login password 'p'`);
    const theirs = new URL(url);
    theirs.username = outsider;
    theirs.password = 'p';
    await expect(query(theirs.href, 'select 1')).rejects.toMatchObject({ code: '42501' });
    await query(url, `drop role ${outsider}`);
  });

  it('are not made from a superuser without a password', async () => {
    const url = new URL(newDatabase());
    url.password = '';
    await expect(createRoles(url.href)).rejects.toThrow(DatabaseSetupError);
  });

  it('tell a superuser from others, also before its database exists', async () => {
    const url = newDatabase();
    expect(await isSuperuser(url)).toBe(true);
    expect(await isSuperuser(testServer().runtimeUrl)).toBe(false);
  });

  it('refuse to migrate as one who may not', async () => {
    await expect(assertRoles(testServer().migrationUrl)).resolves.toBeUndefined();
    await expect(assertRoles(testServer().runtimeUrl)).rejects.toThrow(
      'shipgate_app, of DATABASE_MIGRATION_URL, is no member of shipgate_owner',
    );
  });

  describe('of a database that the environment names', () => {
    const dataDir = '/nowhere';

    it('are made by a superuser, who steps down', async () => {
      const databaseUrl = newDatabase();
      const opened = await openConnections({ databaseUrl, dataDir });
      expect(opened.migrated.length).toBeGreaterThan(0);
      expect(opened.embedded).toBeNull();
      expect(await query(opened.runtimeUrl, 'select current_user as user')).toEqual([{ user: 'shipgate_app' }]);
      expect(await openConnections({ databaseUrl, dataDir })).toEqual({ ...opened, migrated: [] });
    });

    it('are taken as they are where both are given', async () => {
      const url = newDatabase();
      const { runtimeUrl, migrationUrl } = await createRoles(url);
      const opened = await openConnections({ databaseUrl: runtimeUrl, migrationUrl, dataDir });
      expect(opened).toMatchObject({ runtimeUrl, embedded: null });
      expect(opened.migrated.length).toBeGreaterThan(0);
    });

    it('serve a schema that is up to date, and refuse one that is behind, where nobody may migrate', async () => {
      const { runtimeUrl, migrationUrl } = await createRoles(newDatabase());
      await expect(openConnections({ databaseUrl: runtimeUrl, dataDir })).rejects.toThrow(
        /its schema lacks CreateOrganizationsAndRepositories1790000000000.*give DATABASE_MIGRATION_URL/,
      );
      await migrate(migrationUrl);
      expect(await openConnections({ databaseUrl: runtimeUrl, dataDir })).toEqual({
        runtimeUrl,
        embedded: null,
        migrated: [],
      });
    });
  });
});
