/** The rights of a CI credential: upload evidence, or query the deploy gate. */
export const KEY_SCOPES = ['evidence:write', 'gate:read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The scope that a route for CI requires; `any` if every valid credential may use it. */
export type RequiredScope = KeyScope | 'any';

/** The rights of a personal key: read only, or also change everything that its user may change. */
export const PERSONAL_KEY_SCOPES = ['read', 'write'] as const;
export type PersonalKeyScope = (typeof PERSONAL_KEY_SCOPES)[number];

/** Returns whether a key of one scope has the rights of another. The write scope includes reading. */
export const includesScope = (held: PersonalKeyScope, needed: PersonalKeyScope): boolean =>
  held === needed || held === 'write';
