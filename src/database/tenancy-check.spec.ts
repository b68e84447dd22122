import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { assertTenantIsolation } from './tenancy-check.js';

describe('assertTenantIsolation', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Returns the problems for a role after a change, which is rolled back. */
  const problemsAfter = (change: string, role = 'shipgate_app'): Promise<readonly string[]> =>
    withDedicatedClient(database.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(change);
      // Has the effect of a login as that role, because the check excludes roles to which the session could return.
      await client.query(`set local role ${role}`);
      try {
        await assertTenantIsolation(client);
        return [];
      } catch (error) {
        expect(error).toBeInstanceOf(DatabaseSetupError);
        return (error as DatabaseSetupError).problems;
      } finally {
        await client.query('rollback');
      }
    });

  it('accepts the runtime role with the migrated schema', async () => {
    const pool = new Pool({ connectionString: database.appUrl });
    await expect(assertTenantIsolation(pool)).resolves.toBeUndefined();
    await pool.end();
  });

  it.each([
    ['alter role shipgate_app superuser', 'the runtime role shipgate_app is a superuser'],
    ['alter role shipgate_app bypassrls', 'the runtime role shipgate_app bypasses row-level security'],
    ['alter role shipgate_app createrole', 'the runtime role shipgate_app may make roles, and so become any'],
    [
      'grant shipgate_lookup to shipgate_app',
      'the runtime role shipgate_app may become shipgate_lookup, which owns the look-ups',
    ],
    [
      'grant pg_read_server_files to shipgate_app',
      'the runtime role shipgate_app may become pg_read_server_files, which reaches the files or programs of the server',
    ],
    ['alter table release owner to shipgate_app', 'the runtime role shipgate_app owns the table release'],
    ['alter schema public owner to shipgate_app', 'the runtime role shipgate_app owns the schema public'],
    ['grant create on schema public to shipgate_app', 'the runtime role shipgate_app may create in the schema public'],
    ['alter table release disable row level security', 'the table release has no row-level security'],
    [
      'alter table release no force row level security',
      'the table release does not force row-level security on its owner',
    ],
    ['drop policy tenant on release', "the table release lacks the tenant's policy"],
    [
      'drop policy tenant on release; create policy tenant on release using (true)',
      "the table release lacks the tenant's policy",
    ],
    [
      'create policy wider on release for select to shipgate_app using (true)',
      'the policy wider of the table release opens it further to the runtime role',
    ],
    ['create table stray (n int)', 'the table stray has neither a tenant nor a reviewed reason to have none'],
    ['create table stray (org_id uuid)', 'the table stray does not require its tenant'],
    ['create view stray as select 1 as n', 'the view stray does not read as its caller'],
    [
      'create view lax with (security_invoker = true) as select 1 as n; alter view lax set (security_invoker = false)',
      'the view lax does not read as its caller',
    ],
    ['create materialized view stray as select 1 as n', 'the materialized view stray knows no tenants'],
  ])('rejects after: %s', async (change, problem) => {
    expect(await problemsAfter(change)).toContain(problem);
  });

  describe('after the migration of a newer version', () => {
    const NEWER = `insert into schema_migration (timestamp, name) values (9990000000000, 'NoteReleases9990000000000')`;
    const TABLE = 'create table later (n int)';

    it('accepts an unknown table to which the role has no access', async () => {
      expect(await problemsAfter(`${NEWER}; ${TABLE}`)).toEqual([]);
    });

    it.each(['select', 'insert', 'update (n)', 'delete'])(
      'rejects an unknown table with the right to %s',
      async (right) => {
        expect(await problemsAfter(`${NEWER}; ${TABLE}; grant ${right} on later to shipgate_app`)).toEqual([
          'the table later has neither a tenant nor a reviewed reason to have none',
        ]);
      },
    );

    it('rejects a known table without its policy', async () => {
      expect(await problemsAfter(`${NEWER}; drop policy tenant on release`)).toContain(
        "the table release lacks the tenant's policy",
      );
    });
  });

  it('accepts a view with the rights of its caller', async () => {
    expect(await problemsAfter('create view kept with (security_invoker = true) as select 1 as n')).toEqual([]);
  });

  it('rejects the owner and a role that can become the owner', async () => {
    const problems = await problemsAfter('select', 'shipgate_migrator');
    expect(problems).toContain(
      'the runtime role shipgate_migrator may become shipgate_owner, which owns the table release',
    );
    expect(problems).toContain('the runtime role shipgate_migrator may become shipgate_owner, which owns the database');
  });
});
