declare const kind: unique symbol;

/** The id of a tenant: a GitHub organization as the service knows it. A UUID. */
export type OrgId = string & { readonly [kind]: 'OrgId' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Takes text for a tenant's id; throws where it is no UUID in the form in which Postgres writes it. */
export function toOrgId(text: string): OrgId {
  if (!UUID.test(text)) throw new TypeError('A tenant id is a UUID in lower case.');
  return text as OrgId;
}

/** Whether Postgres takes the text for a UUID: what is none is the id of nothing. */
export const isUuid = (text: string): boolean => UUID.test(text.toLowerCase());
