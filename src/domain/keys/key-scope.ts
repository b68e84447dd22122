/** The rights of a CI credential: upload evidence, query the deploy gate, or report deployments. */
export const KEY_SCOPES = ['evidence:write', 'gate:read', 'deployment:write'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The scopes of a key for which none are named. Most keys deploy nothing. */
export const DEFAULT_KEY_SCOPES = ['evidence:write', 'gate:read'] as const satisfies readonly KeyScope[];

/** The scope that a route for CI requires; `any` if every valid credential may use it. */
export type RequiredScope = KeyScope | 'any';

/** The rights of a personal key: read only, or also change everything that its user may change. */
export const PERSONAL_KEY_SCOPES = ['read', 'write'] as const;
export type PersonalKeyScope = (typeof PERSONAL_KEY_SCOPES)[number];

/** Returns whether a key of one scope has the rights of another. The write scope includes reading. */
export const includesScope = (held: PersonalKeyScope, needed: PersonalKeyScope): boolean =>
  held === needed || held === 'write';
