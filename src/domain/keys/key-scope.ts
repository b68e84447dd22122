/** What a CI credential may do: upload evidence, or ask the deploy gate. */
export const KEY_SCOPES = ['evidence:write', 'gate:read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
