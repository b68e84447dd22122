import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { testServer } from '../../test/support/test-server.js';
import { openConnections } from './connections.js';
import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { migrate } from './migrate.js';
import { assertRoles, databaseUrl, isSuperuser, createRoles } from './roles.js';

describe('the database roles', () => {
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

  it('creates the roles with their database in several processes at once, and the roles can log in', async () => {
    const url = newDatabase();
    const created = await Promise.all([createRoles(url), createRoles(url), createRoles(url)]);
    expect(new Set(created.map((urls) => JSON.stringify(urls))).size).toBe(1);
    const { runtimeUrl, migrationUrl } = created[0];
    expect(await query(runtimeUrl, `select current_user as user, current_setting('jit') as jit`)).toEqual([
      { user: 'shipgate_app', jit: 'off' },
    ]);
    expect(await query(migrationUrl, `select pg_has_role('shipgate_owner', 'member') as owns`)).toEqual([
      { owns: true },
    ]);
  });

  it('revokes privileges that were granted to the roles', async () => {
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

  it('denies other roles access to the database', async () => {
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

  it('does not create the roles from a superuser without a password', async () => {
    const url = new URL(newDatabase());
    url.password = '';
    await expect(createRoles(url.href)).rejects.toThrow(DatabaseSetupError);
  });

  it('recognizes a superuser, also before its database exists', async () => {
    const url = newDatabase();
    expect(await isSuperuser(url)).toBe(true);
    expect(await isSuperuser(testServer().runtimeUrl)).toBe(false);
  });

  it('rejects a migration role without the privilege to migrate', async () => {
    await expect(assertRoles(testServer().migrationUrl)).resolves.toBeUndefined();
    await expect(assertRoles(testServer().runtimeUrl)).rejects.toThrow(
      'shipgate_app, of DATABASE_MIGRATION_URL, is no member of shipgate_owner',
    );
  });

  it('gives the runtime role its settings back', async () => {
    const url = newDatabase();
    const { runtimeUrl, migrationUrl } = await createRoles(url);
    await query(url, 'alter role shipgate_app reset statement_timeout');
    await query(url, `alter role shipgate_app set lock_timeout = '1h'`);
    await openConnections({ databaseUrl: runtimeUrl, migrationUrl, dataDir: '/nowhere' });
    expect(
      await query(
        runtimeUrl,
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      ),
    ).toEqual([{ statement: '15s', lock: '5s' }]);
  });

  it('does not start if a setting of the database takes precedence', async () => {
    const url = newDatabase();
    const { runtimeUrl, migrationUrl } = await createRoles(url);
    await query(url, `alter role shipgate_app in database ${new URL(url).pathname.slice(1)} set lock_timeout = 0`);
    const opening = openConnections({ databaseUrl: runtimeUrl, migrationUrl, dataDir: '/nowhere' });
    await expect(opening).rejects.toThrow('lock_timeout is 0 and not 5s for shipgate_app; remove this setting');
  });

  it.each([
    [
      'the password',
      (url: URL) => (url.password = 'wrong'),
      78,
      'rejects the connection: password authentication failed',
    ],
    [
      'the database',
      (url: URL) => (url.pathname = '/none'),
      78,
      'rejects the connection: database "none" does not exist',
    ],
    ['the port', (url: URL) => (url.port = '1'), 69, /^No database listens at 127.0.0.1:1 \(DATABASE_URL\)\.$/],
    ['TLS', (url: URL) => (url.search = '?sslmode=require'), 69, 'fails: The server does not support SSL connections'],
    ['the name of the server', (url: URL) => (url.hostname = 'none.invalid'), 69, 'host is not known: none.invalid:'],
  ])('reports in one sentence that %s is wrong', async (_, change, exitCode, sentence) => {
    const url = new URL(testServer().runtimeUrl);
    change(url);
    const failure: unknown = await openConnections({ databaseUrl: url.href, dataDir: '/nowhere' }).catch(
      (e: unknown) => e,
    );
    expect(failure).toMatchObject({ name: 'DatabaseConnectionError', exitCode });
    expect((failure as Error).message).toMatch(sentence);
  });

  describe('a configured database', () => {
    const dataDir = '/nowhere';

    it('creates the roles as a superuser, which is not used after that', async () => {
      const databaseUrl = newDatabase();
      const opened = await openConnections({ databaseUrl, dataDir });
      expect(opened.migrated.length).toBeGreaterThan(0);
      expect(opened.embedded).toBeNull();
      expect(await query(opened.runtimeUrl, 'select current_user as user')).toEqual([{ user: 'shipgate_app' }]);
      expect(await openConnections({ databaseUrl, dataDir })).toEqual({ ...opened, migrated: [] });
    });

    it('uses the roles unchanged if both URLs are set', async () => {
      const url = newDatabase();
      const { runtimeUrl, migrationUrl } = await createRoles(url);
      const opened = await openConnections({ databaseUrl: runtimeUrl, migrationUrl, dataDir });
      expect(opened).toMatchObject({ runtimeUrl, embedded: null });
      expect(opened.migrated.length).toBeGreaterThan(0);
    });

    it('accepts a current schema and rejects an outdated one without a migration role', async () => {
      const { runtimeUrl, migrationUrl } = await createRoles(newDatabase());
      const failure: unknown = await openConnections({ databaseUrl: runtimeUrl, dataDir }).catch((e: unknown) => e);
      // Another process may migrate, so another start may succeed.
      expect(failure).toMatchObject({ name: 'DatabaseSetupError', exitCode: 69 });
      expect((failure as Error).message).toMatch(
        /its schema lacks CreateSchema1796000000000.*give DATABASE_MIGRATION_URL/,
      );
      await migrate(migrationUrl);
      expect(await openConnections({ databaseUrl: runtimeUrl, dataDir })).toEqual({
        runtimeUrl,
        directUrl: null,
        canPrepare: true,
        embedded: null,
        migrated: [],
      });
    });
  });
});
