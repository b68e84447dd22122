import type { Client, Pool } from 'pg';
import { DatabaseSetupError } from './database-setup.error.js';
import { MIGRATIONS_TABLE, readMigrationStatus } from './migration-status.js';
import { LOOKUP_ROLE } from './roles.js';

/** Tables without a tenant, each with the reason why they expose no data of another tenant. */
export const GLOBAL_TABLES: ReadonlyMap<string, string> = new Map([
  [MIGRATIONS_TABLE, 'names of migrations, which the service may only read'],
  ['webhook_delivery', 'deliveries whose tenant is not known yet; reached by definer functions only'],
  ['missed_delivery', 'missed deliveries, only by their GUID; reached by definer functions only'],
  ['delivery_scan', 'the time up to which the list of deliveries was checked; reached by definer functions only'],
  ['scheduled_job', 'the last interval of each scheduled job; reached by definer functions only'],
  ['rate_limit_window', 'counts of requests; reached by definer functions only'],
  ['write_probe', 'a time and a filler, to find out whether writes work; reached by definer functions only'],
  ['untrusted_forwarder', 'an address that may be a proxy; reached by definer functions only'],
  ['user_account', 'users, who belong to no tenant; reached by definer functions only'],
  ['session', 'sessions, which are read before the tenant is known; reached by definer functions only'],
  ['login_attempt', 'sign-ins in progress; reached by definer functions only'],
  ['app_configuration', "the app's encrypted credentials; reached by definer functions only"],
  ['published_workflow', 'names of workflow files, the same in all workspaces; reached by definer functions only'],
  ['signing_key', 'keys of the service, with encrypted private keys; reached by definer functions only'],
  ['setup_code', 'digests of set-up codes; reached by definer functions only'],
]);

/**
 * The policy expression of every tenant table, as Postgres prints it. Without a tenant the setting is null, which
 * equals no id.
 */
export const TENANT_EXPRESSION = "(org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)";

/**
 * Throws with every problem if the role of this connection can bypass row-level security or if a table lacks it. After the migrations of a
 * newer version, an unknown table without a tenant is accepted if the role has no access to it, so that a process of this version can
 * still start during an upgrade.
 */
export async function assertTenantIsolation(connection: Pool | Client): Promise<void> {
  const { newer } = await readMigrationStatus(connection);
  const { rows } = await connection.query<{ problem: string }>(PROBLEMS, [
    LOOKUP_ROLE,
    TENANT_EXPRESSION,
    [...GLOBAL_TABLES.keys()],
    newer.length > 0,
  ]);
  if (rows.length > 0) throw new DatabaseSetupError(rows.map(({ problem }) => problem));
}

const PROBLEMS = `
  with
  powers as (
    -- The role, and every role that it can become. A membership counts even if it is not inherited.
    select r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolname = current_user as own
    from pg_roles r where pg_has_role(current_user, r.oid, 'member')
  ),
  who as (
    select oid, rolname, rolsuper, rolbypassrls, rolcreaterole,
      case when own then format('the runtime role %I', rolname)
        else format('the runtime role %I may become %I, which', current_user, rolname) end as subject
    from powers
    -- A superuser is a member of every role, so for a superuser the other roles are not listed.
    where own or not (select rolsuper from powers where own)
  ),
  relation as (
    select c.oid, c.relname, c.relkind, c.relowner, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
      tenant.attnum is not null as has_tenant, tenant.attnotnull as tenant_required
    from pg_class c
    left join pg_attribute tenant on tenant.attrelid = c.oid and tenant.attname = 'org_id' and not tenant.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f', 'v', 'm')
  ),
  base as (select * from relation where relkind in ('r', 'p', 'f')),
  policy as (
    select p.polrelid, p.polname,
      p.polcmd = '*' and p.polpermissive and p.polroles = '{0}'
        and pg_get_expr(p.polqual, p.polrelid) = $2 and pg_get_expr(p.polwithcheck, p.polrelid) = $2 as is_tenant,
      p.polpermissive and exists (
        select from unnest(p.polroles) named where named = 0 or pg_has_role(current_user, named, 'member')) as applies
    from pg_policy p
  ),
  problem as (
    select subject || ' is a superuser' as problem from who where rolsuper
    union all select subject || ' bypasses row-level security' from who where rolbypassrls
    union all select subject || ' may make roles, and so become any' from who where rolcreaterole
    union all select subject || ' owns the look-ups' from who where rolname = $1
    union all select subject || format(' owns the table %I', relname) from who join base on relowner = who.oid
    union all select subject || format(' owns the schema %I', nspname)
      from who join pg_namespace on nspowner = who.oid where nspname = 'public'
    union all select subject || ' owns the database'
      from who join pg_database on datdba = who.oid where datname = current_database()
    union all select subject || ' reaches the files or programs of the server' from who
      where rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    union all select format('the runtime role %I may create in the schema public', current_user)
      where has_schema_privilege('public', 'create')
    union all select format('the table %I does not require its tenant', relname)
      from base where has_tenant and not tenant_required
    union all select format('the table %I has no row-level security', relname)
      from base where has_tenant and not relrowsecurity
    union all select format('the table %I does not force row-level security on its owner', relname)
      from base where has_tenant and not relforcerowsecurity
    union all select format('the table %I lacks the tenant''s policy', relname)
      from base where has_tenant and not exists (select from policy where polrelid = base.oid and is_tenant)
    union all select format('the policy %I of the table %I opens it further to the runtime role', polname, relname)
      from base join policy on polrelid = base.oid where has_tenant and applies and not is_tenant
    union all select format('the table %I has neither a tenant nor a reviewed reason to have none', relname)
      from base where not has_tenant and relname <> all ($3::text[])
        and (not $4 or has_table_privilege(oid, 'select, insert, update, delete, truncate')
          or has_any_column_privilege(oid, 'select, insert, update'))
    union all select format('the view %I does not read as its caller', relname)
      from relation where relkind = 'v' and not coalesce(reloptions && '{security_invoker=true,security_invoker=on}', false)
    union all select format('the materialized view %I knows no tenants', relname) from relation where relkind = 'm'
  )
  select problem from problem order by problem`;
