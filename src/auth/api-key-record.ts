import type { OrgId } from '../database/ids.js';
import type { KeyScope } from '../domain/keys/key-scope.js';

/** A stored API key, as far as letting its holder in needs it. */
export interface ApiKeyRecord {
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly scopes: readonly KeyScope[];
  readonly repositoryIds: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type KeyStanding = 'live' | 'revoked_key' | 'expired_key';

/** Whether the key lets its holder in now. The moment of expiry is already too late. */
export function standingOf(
  { revokedAt, expiresAt }: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>,
  now: Date,
): KeyStanding {
  if (revokedAt !== null) return 'revoked_key';
  return expiresAt !== null && expiresAt <= now ? 'expired_key' : 'live';
}
