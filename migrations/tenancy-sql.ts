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
