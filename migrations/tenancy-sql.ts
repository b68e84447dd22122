/** The pieces of SQL that make a table a tenant's: written once, so that no table can have half of them. */

const TENANT = "nullif(current_setting('app.org_id', true), '')::uuid";

/** Row-level security for a table with an `org_id`, forced upon its owner too. */
export const tenantTable = (table: string): string => `
  alter table ${table} enable row level security;
  alter table ${table} force row level security;
  create policy tenant on ${table} using (org_id = ${TENANT}) with check (org_id = ${TENANT});`;

/** What the service's own role may do with a table: everything but emptying it, or for a record of the past only add to it. */
export const grantTable = (table: string, access: 'read-write' | 'append-only'): string =>
  access === 'read-write'
    ? `grant select, insert, update, delete on ${table} to shipgate_app;`
    : `grant select, insert on ${table} to shipgate_app;`;

/** Hands a definer function to the role of the look-ups and its execution to the service alone. */
export const lookUpFunction = (signature: string): string => `
  alter function ${signature} owner to shipgate_lookup;
  revoke all on function ${signature} from public;
  grant execute on function ${signature} to shipgate_app;`;

/** Row-level security that hides from a viewer what belongs to a repository which the viewer may not read. */
export const viewedByRepository = (table: string): string => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    nullif(current_setting('app.viewer', true), '') is null or repository_id in (select r.id from repository r));`;

/** The same for what belongs to a release. */
export const viewedByRelease = (table: string): string => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    nullif(current_setting('app.viewer', true), '') is null or exists (
      select from release r where r.org_id = ${table}.org_id and r.id = ${table}.release_id));`;

/**
 * Runs a statement on the rows of all tenants at once. The role that migrates is in no tenant, and the tables' policies are forced
 * upon it as upon everybody: that is off for them meanwhile.
 */
export const acrossTenants = (tables: readonly string[], statement: string): string => `
  ${tables.map((table) => `alter table ${table} no force row level security;`).join(' ')}
  ${statement};
  ${tables.map((table) => `alter table ${table} force row level security;`).join(' ')}`;

/** Lets the verdict of each release to which a condition applies be derived anew before its gate is believed again. */
export const doubtReleases = (condition: string): string =>
  acrossTenants(
    ['release'],
    `update release set valid_until = '-infinity'
     where shipped_at is null and deleted_at is null and valid_until > '-infinity' and ${condition}`,
  );
