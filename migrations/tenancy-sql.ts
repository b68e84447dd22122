/** The SQL that isolates the tenants in a table. It is stated once, so that no table has a part of it only. */

const TENANT = "nullif(current_setting('app.org_id', true), '')::uuid";

/** Enables row-level security for a table with an `org_id`, also for its owner. */
export const enableTenantIsolation = (table: string): string => `
  alter table ${table} enable row level security;
  alter table ${table} force row level security;
  create policy tenant on ${table} using (org_id = ${TENANT}) with check (org_id = ${TENANT});`;

/** Grants the runtime role to read and write the rows of a table, or only to read and add them. */
export const grantToApp = (table: string, access: 'read-write' | 'append-only'): string =>
  access === 'read-write'
    ? `grant select, insert, update, delete on ${table} to shipgate_app;`
    : `grant select, insert on ${table} to shipgate_app;`;

/** Makes the role of the look-ups the owner of a definer function, which only the runtime role may execute. */
export const grantLookup = (signature: string): string => `
  alter function ${signature} owner to shipgate_lookup;
  revoke all on function ${signature} from public;
  grant execute on function ${signature} to shipgate_app;`;

/** Hides from a viewer the rows of a repository that the viewer cannot read. */
export const restrictToViewer = (table: string): string => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    nullif(current_setting('app.viewer', true), '') is null or repository_id in (select r.id from repository r));`;

/** Hides from a viewer the rows of a release that the viewer cannot read. */
export const restrictToReleaseViewer = (table: string): string => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    nullif(current_setting('app.viewer', true), '') is null or exists (
      select from release r where r.org_id = ${table}.org_id and r.id = ${table}.release_id));`;
