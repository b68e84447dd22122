/** What a CI credential may do: upload evidence, or ask the deploy gate. */
export const KEY_SCOPES = ['evidence:write', 'gate:read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** What the tools that a person gives a key may do in their name: look, or also change what the person may change. */
export const PERSONAL_KEY_SCOPES = ['read', 'write'] as const;
export type PersonalKeyScope = (typeof PERSONAL_KEY_SCOPES)[number];

/** Whether a key of one scope may do what needs another: who may write may read. */
export const includesScope = (held: PersonalKeyScope, needed: PersonalKeyScope): boolean =>
  held === needed || held === 'write';
