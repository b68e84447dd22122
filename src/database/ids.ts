declare const kind: unique symbol;

/** The id of a tenant, which is one GitHub organization. A UUID. */
export type OrgId = string & { readonly [kind]: 'OrgId' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Converts text into a tenant id. Throws if it is not a UUID in the format of Postgres. */
export function toOrgId(text: string): OrgId {
  if (!UUID.test(text)) throw new TypeError('A tenant id is a UUID in lower case.');
  return text as OrgId;
}

/** Returns whether the text is a UUID, in any case. */
export const isUuid = (text: string): boolean => UUID.test(text.toLowerCase());
