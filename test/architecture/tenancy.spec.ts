import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type DatabaseError } from 'pg';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { APP_ROLE, LOOKUP_ROLE, OWNER_ROLE } from '../../src/database/roles.js';
import { assertTenantIsolation, GLOBAL_TABLES, TENANT_EXPRESSION } from '../../src/database/tenancy-check.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { columnsOf, insertTenantRows, PAIR } from './tenant-rows.js';

/** Unique keys that do not start with the tenant, and why they do not reveal a row of another tenant. */
const GLOBAL_KEYS: ReadonlyMap<string, string> = new Map([
  ['organization_github_id_key', 'a GitHub organization is one tenant, and GitHub decides who owns it'],
  ['organization_installation_id_key', 'GitHub assigns each installation its own id'],
  ['api_key_secret_hash_key', 'the digest of 32 random bytes, found before the tenant is known'],
  ['personal_key_secret_hash_key', 'the digest of 32 random bytes, found before the tenant is known'],
]);

/** Tables of records: the service inserts and reads rows, and never changes them. */
const APPEND_ONLY = [
  'audit_entry',
  'completed_soak',
  'decision',
  'deployment_record',
  'deployment_report',
  'evidence',
  'evidence_facet',
  'evidence_report',
  'gate_confirmation',
  'published_evidence',
  'report_content',
  'report_content_block',
  'reported_deployment',
  'stage_transition',
  'test_results',
  'workflow_job',
];

/** Policies besides that of the tenant. Each is only for the lookup role, which reads before the tenant is known. */
const LOOKUP_POLICIES = [
  'api_key.look_up',
  'audit_entry.look_up',
  'invite.look_up',
  'member.look_up',
  'organization.look_up',
  'personal_key.look_up',
  'repository_token.look_up',
  'storage_usage_change.look_up',
  'sync_run.look_up',
  'upgrade_request.look_up',
];

/** Functions that change append-only tables, in one workspace: the policy of the tenant applies to the owner too. */
const OWNER_FUNCTIONS = ['archive_unshipped_releases', 'clear_removed_location', 'restore_report_content'];

/** Functions that no request needs. Only commands that act as the owner, as a member of the lookup role, call them. */
const OWNER_ONLY = ['list_secrets_of_other_keys'];

/** Tables of a repository. Their rows are hidden from a viewer who cannot read the repository. */
const VIEWED = [
  'artifact',
  'artifact_bundle',
  'audit_entry',
  'break_glass_request',
  'completed_soak',
  'decision',
  'deployment',
  'deployment_hold',
  'deployment_record',
  'deployment_report',
  'event',
  'evidence',
  'evidence_coverage',
  'evidence_facet',
  'evidence_pull_request',
  'evidence_report',
  'gate_confirmation',
  'ignored_milestone',
  'observation',
  'project_repository',
  'promotion',
  'protection_rule',
  'published_evidence',
  'release',
  'reported_deployment',
  'repository',
  'repository_count_change',
  'repository_protection',
  'repository_setup',
  'repository_sync',
  'run_coverage',
  'running_artifact',
  'running_statement',
  'stage_transition',
  'tampered_file',
  'tampering_issue',
  'test_comparison',
  'waiver',
  'watched_branch',
  'watched_file',
  'workflow_installation',
  'workflow_job',
  'workflow_update',
];

/** Tables of a repository for internal work, which no viewer reads. A key is filtered by its repositories. */
const NOT_VIEWED = [
  'api_key',
  'fact_hint',
  'identity_token_use',
  'repository_token',
  'scope_lock',
  'sync_follow_up',
  'upload_idempotency_key',
];

const BASE_TABLES = `
  select c.oid, c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;
const TENANT_TABLES = `
  select t.oid, t.relname from (${BASE_TABLES}) t
  join pg_attribute a on a.attrelid = t.oid and a.attname = 'org_id' and not a.attisdropped`;

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(database.superuserUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const names = async (sql: string, params: readonly unknown[] = []): Promise<string[]> =>
  (await client.query<{ name: string }>(sql, [...params])).rows.map(({ name }) => name).toSorted();
const tenantTables = (): Promise<string[]> => names(`select relname as name from (${TENANT_TABLES}) t`);

/** Runs `work` in a transaction that is rolled back. */
async function undone<T>(work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    return await work();
  } finally {
    await client.query('rollback');
  }
}

describe('the database catalog', () => {
  it('contains tenant tables and passes the checks at startup', async () => {
    expect(await tenantTables()).toContain('release');
    await withDedicatedClient(database.appUrl, (app) => assertTenantIsolation(app));
  });

  it('has every table that is listed as reviewed, and none of them has a tenant', async () => {
    const without = await names(
      `select relname as name from (${BASE_TABLES}) t where relname not in (select relname from (${TENANT_TABLES}) u)`,
    );
    expect(without).toEqual([...GLOBAL_TABLES.keys()].toSorted());
  });

  it('requires the tenant and forces row-level security on every tenant table', async () => {
    const lacking = await names(
      `select t.relname as name from (${TENANT_TABLES}) t join pg_class c on c.oid = t.oid
       join pg_attribute a on a.attrelid = t.oid and a.attname = 'org_id'
       where not (a.attnotnull and a.atttypid = 'uuid'::regtype and c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(lacking).toEqual([]);
  });

  it('has one policy for all commands and roles on each tenant table, besides those of viewers and lookups', async () => {
    const { rows } = await client.query<Record<string, unknown>>(
      `select t.relname as table, p.polname as name, p.polcmd as command, p.polpermissive as permissive,
         p.polroles = '{0}' as everybody, p.polroles = array[$1::regrole::oid] as look_ups,
         pg_get_expr(p.polqual, t.oid) as sees, pg_get_expr(p.polwithcheck, t.oid) as writes
       from (${TENANT_TABLES}) t join pg_policy p on p.polrelid = t.oid order by 1, 2`,
      [LOOKUP_ROLE],
    );
    const tenant = rows.filter(({ name }) => name === 'tenant');
    // Both lists are sorted by name.
    expect(tenant.map(({ table }) => table)).toEqual(await tenantTables());
    for (const policy of tenant) {
      expect(policy).toMatchObject({ command: '*', permissive: true, everybody: true });
      expect(policy).toMatchObject({ sees: TENANT_EXPRESSION, writes: TENANT_EXPRESSION });
    }
    const viewers = rows.filter(({ name }) => name === 'viewer');
    expect(viewers.map(({ table }) => table)).toEqual(VIEWED);
    for (const policy of viewers) {
      expect(policy).toMatchObject({ command: 'r', permissive: false, writes: null });
      expect(policy['sees']).toContain("NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL");
    }
    const others = rows.filter(({ name }) => name !== 'tenant' && name !== 'viewer');
    expect(others.map(({ table, name }) => `${String(table)}.${String(name)}`)).toEqual(LOOKUP_POLICIES);
    for (const policy of others) expect(policy).toMatchObject({ command: 'r', look_ups: true, writes: null });
  });

  it('hides from viewers the rows of every table that names a repository or a release', async () => {
    const owned = await names(
      `select distinct t.relname as name from (${TENANT_TABLES}) t
       join pg_attribute a on a.attrelid = t.oid and a.attname in ('repository_id', 'repository_ids', 'release_id', 'evidence_id')
         and not a.attisdropped`,
    );
    const hidden = [...VIEWED, ...NOT_VIEWED].filter((table) => table !== 'repository');
    expect(owned).toEqual(hidden.toSorted());
  });

  it('has the tenant as the first column of every unique key of a tenant table, except reviewed keys', async () => {
    const global = await names(
      `select i.indexrelid::regclass::text as name from pg_index i join (${TENANT_TABLES}) t on t.oid = i.indrelid
       join pg_attribute a on a.attrelid = t.oid and a.attname = 'org_id'
       where i.indisunique and i.indkey[0] <> a.attnum`,
    );
    expect(global).toEqual([...GLOBAL_KEYS.keys()].toSorted());
  });

  it('joins tenant tables by foreign keys that start with the tenant on both sides', async () => {
    const plain = await names(
      `select k.conrelid::regclass || '.' || k.conname as name
       from pg_constraint k
       join (${TENANT_TABLES}) child on child.oid = k.conrelid
       join (${TENANT_TABLES}) parent on parent.oid = k.confrelid
       join pg_attribute own on own.attrelid = child.oid and own.attname = 'org_id'
       join pg_attribute theirs on theirs.attrelid = parent.oid and theirs.attname = 'org_id'
       where k.contype = 'f' and not (k.conkey[1] = own.attnum and k.confkey[1] = theirs.attnum)`,
    );
    expect(plain).toEqual([]);
    const crossing = await names(
      `select k.conname as name from pg_constraint k join (${BASE_TABLES}) t on t.oid = k.conrelid
       where k.contype = 'f' and (k.conrelid in (select oid from (${TENANT_TABLES}) x))
         <> (k.confrelid in (select oid from (${TENANT_TABLES}) y))`,
    );
    expect(crossing).toEqual([]);
  });

  it('has the tenant as the first column of every index of a tenant table, so no list reads rows of another tenant', async () => {
    const elsewhere = await names(
      `select i.indexrelid::regclass::text as name from pg_index i join (${TENANT_TABLES}) t on t.oid = i.indrelid
       join pg_attribute a on a.attrelid = t.oid and a.attname = 'org_id'
       where not i.indisunique and i.indkey[0] <> a.attnum`,
    );
    expect(elsewhere).toEqual([]);
  });

  it('reads every view as its caller and has no materialized view', async () => {
    const views = await names(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and (relkind = 'm' or (relkind = 'v' and not coalesce('security_invoker=true' = any (reloptions), false)))`,
    );
    expect(views).toEqual([]);
  });

  it('grants the service only the rights on each table that it needs', async () => {
    const { rows } = await client.query<{ table: string; may: string[] }>(
      `select t.relname as table, coalesce(array_agg(p.name order by p.name) filter (where
         has_table_privilege($1, t.oid, p.name)), '{}') as may
       from (${BASE_TABLES}) t
       cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p (name)
       group by 1`,
      [APP_ROLE],
    );
    const withTenant = await tenantTables();
    for (const { table, may } of rows) {
      const expected = APPEND_ONLY.includes(table)
        ? ['INSERT', 'SELECT']
        : withTenant.includes(table)
          ? ['DELETE', 'INSERT', 'SELECT', 'UPDATE']
          : table === 'schema_migration'
            ? ['SELECT']
            : [];
      expect({ table, may }).toEqual({ table, may: expected });
    }
    expect(withTenant).toEqual(expect.arrayContaining(APPEND_ONLY));
  });

  it('grants nothing to PUBLIC, and no column more than the table', async () => {
    const open = await names(
      `select relname as name from pg_class c, aclexplode(c.relacl) g
       where c.relnamespace = 'public'::regnamespace and g.grantee = 0
       union select proname from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
       where p.pronamespace = 'public'::regnamespace and g.grantee = 0
       union select a.attrelid::regclass || '.' || attname from pg_attribute a, aclexplode(a.attacl) g
       where a.attrelid in (select oid from (${BASE_TABLES}) t) and g.grantee <> $1::regrole`,
      [LOOKUP_ROLE],
    );
    expect(open).toEqual([]);
  });

  it('has definer functions of the lookup role, or of the owner for retention, that only the service can call', async () => {
    const { rows } = await client.query<Record<string, unknown>>(
      `select p.proname as name, pg_get_userbyid(p.proowner) as owner, p.proconfig as settings,
         array(select pg_get_userbyid(g.grantee)::text from aclexplode(p.proacl) g
               where g.grantee <> p.proowner and g.privilege_type = 'EXECUTE') as callers
       from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef order by 1`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toEqual({
        name: row['name'],
        owner: OWNER_FUNCTIONS.includes(String(row['name'])) ? OWNER_ROLE : LOOKUP_ROLE,
        settings: ['search_path=pg_catalog, public'],
        callers: OWNER_ONLY.includes(String(row['name'])) ? [] : [APP_ROLE],
      });
    }
  });

  it('gives the lookup role and the schema the minimum of rights', async () => {
    const { rows } = await client.query(
      `select has_schema_privilege($1, 'public', 'create') as look_ups_create,
         has_schema_privilege($2, 'public', 'create') as service_creates,
         has_database_privilege($2, current_database(), 'create') as service_creates_schemas,
         has_database_privilege($2, current_database(), 'temp') as service_makes_temporary_tables,
         (select array_agg(distinct pg_get_userbyid(relowner)::text) from pg_class
          where relnamespace = 'public'::regnamespace) as owners`,
      [LOOKUP_ROLE, APP_ROLE],
    );
    expect(rows).toEqual([
      {
        look_ups_create: false,
        service_creates: false,
        service_creates_schemas: false,
        service_makes_temporary_tables: false,
        owners: expect.arrayContaining([OWNER_ROLE]),
      },
    ]);
    expect((rows as { owners: string[] }[])[0]?.owners).toHaveLength(1);
  });
});

describe('the policy of every tenant', () => {
  /**
   * The tenants whose rows the service sees in a table, and whether it can move a row to another tenant or insert one
   * there.
   */
  const behaviour = async (table: string): Promise<object> => {
    await client.query(`set local role ${APP_ROLE}`);
    await client.query(`select set_config('app.org_id', $1, true)`, [PAIR.first]);
    const seen = await client.query<{ org_id: string }>(`select org_id from ${table}`);
    await client.query(`select set_config('app.org_id', '', true)`);
    const withoutTenant = await client.query(`select from ${table}`);
    await client.query('reset role');
    return { seen: seen.rows.map(({ org_id: tenant }) => tenant).toSorted(), withoutTenant: withoutTenant.rowCount };
  };
  const refusesForeignRow = async (table: string): Promise<boolean> => {
    await client.query('savepoint before_foreign_row');
    const written = await columnsOf(client, table);
    await client.query(`create temporary table foreign_row on commit drop as select ${written} from ${table} limit 1`);
    await client.query(`grant select on foreign_row to ${APP_ROLE}`);
    await client.query(`delete from ${table}`);
    await client.query(`set local role ${APP_ROLE}`);
    await client.query(`select set_config('app.org_id', $1, true)`, [PAIR.second]);
    try {
      await client.query(
        `insert into ${table} (${written}) overriding system value select ${written} from foreign_row`,
      );
      return false;
    } catch (error) {
      if ((error as DatabaseError).code !== '42501') throw error;
      return true;
    } finally {
      await client.query('rollback to savepoint before_foreign_row');
    }
  };
  const guarded = { seen: [PAIR.first], withoutTenant: 0 };

  it('limits the rows of each table to their tenant, and nothing else does', async () => {
    for (const table of await tenantTables()) {
      await undone(async () => {
        await insertTenantRows(client, table);
        expect({ table, ...(await behaviour(table)) }).toEqual({ table, ...guarded });
        expect({ table, refused: await refusesForeignRow(table) }).toEqual({ table, refused: true });

        // Without the policy the table shows no row. Without row-level security it shows and accepts every row.
        await client.query(`drop policy tenant on ${table}`);
        expect({ table, ...(await behaviour(table)) }).toEqual({ table, seen: [], withoutTenant: 0 });
        await client.query(`create policy tenant on ${table} using (true)`);
        expect({ table, ...(await behaviour(table)) }).toEqual({
          table,
          seen: [PAIR.first, PAIR.second],
          withoutTenant: 2,
        });
        expect({ table, refused: await refusesForeignRow(table) }).toEqual({ table, refused: false });
      });
    }
  });

  it('applies to the owner of the tables too', async () => {
    for (const table of await tenantTables()) {
      await undone(async () => {
        await insertTenantRows(client, table);
        await client.query(`set local role ${OWNER_ROLE}`);
        await client.query(`select set_config('app.org_id', $1, true)`, [PAIR.first]);
        const hasLookup = LOOKUP_POLICIES.includes(`${table}.look_up`);
        const { rows } = await client.query<{ org_id: string }>(`select org_id from ${table} order by org_id`);
        // The owner is a member of the lookup role, so the policies of that role apply to it. Neither can log in.
        expect({ table, seen: rows.map(({ org_id: tenant }) => tenant) }).toEqual({
          table,
          seen: hasLookup ? [PAIR.first, PAIR.second] : [PAIR.first],
        });
      });
    }
  });
});
