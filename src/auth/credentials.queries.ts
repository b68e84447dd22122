import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import type { MemberRole, Membership, User } from './user.js';

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

export type KeyStatus = 'live' | 'revoked_key' | 'expired_key';

/** Whether the key lets its holder in now. The moment of expiry is already too late. */
export function keyStatus(
  { revokedAt, expiresAt }: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>,
  now: Date,
): KeyStatus {
  if (revokedAt !== null) return 'revoked_key';
  return expiresAt !== null && expiresAt <= now ? 'expired_key' : 'live';
}

interface ApiKeyRow {
  readonly org_id: OrgId;
  readonly id: string;
  readonly scopes: ApiKeyRecord['scopes'];
  readonly repository_ids: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** A stored personal key with its owner, as far as letting the owner's tools in needs it. */
export interface PersonalKeyRecord {
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly scope: PersonalKeyScope;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly user: User;
  /** Whether the app is still installed for the organization. */
  readonly installed: boolean;
  /** Null where the owner is no member of the key's workspace any more. */
  readonly membership: Membership | null;
}

interface PersonalKeyRow {
  readonly org_id: OrgId;
  readonly id: string;
  readonly scope: PersonalKeyScope;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly person: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
  readonly org_login: string;
  readonly installed: boolean;
  /** Null where the owner is no member; then so are the times. */
  readonly role: MemberRole | null;
  readonly confirmed_at: Date;
  readonly access_observed_at: Date | null;
}

/** Finds API keys before their workspace is known. Finds personal keys before their workspace is known, in one round trip. */
@Injectable()
export class CredentialsQueries {
  constructor(private readonly database: Database) {}

  /** The key with this hash, live or not; null where there is none. */
  async findApiKeyByHash(secretHash: Buffer): Promise<ApiKeyRecord | null> {
    const [row] = await this.database.queryWithoutTenant<ApiKeyRow>(
      'find_api_key',
      'select org_id, id, scopes, repository_ids, expires_at, revoked_at, last_used_at from find_api_key($1)',
      [secretHash],
    );
    return row
      ? {
          orgId: row.org_id,
          keyId: row.id,
          scopes: row.scopes,
          repositoryIds: row.repository_ids,
          expiresAt: row.expires_at,
          revokedAt: row.revoked_at,
          lastUsedAt: row.last_used_at,
        }
      : null;
  }

  /** The key with this hash, live or not; null where there is none. */
  async findPersonalKeyByHash(secretHash: Buffer): Promise<PersonalKeyRecord | null> {
    const [row] = await this.database.queryWithoutTenant<PersonalKeyRow>(
      'find_personal_key',
      `select org_id, id, scope, expires_at, revoked_at, last_used_at, person, login, name, avatar_url, org_login,
         installed, role, confirmed_at, access_observed_at
       from find_personal_key($1)`,
      [secretHash],
    );
    return row ? recordOf(row) : null;
  }
}

const recordOf = (row: PersonalKeyRow): PersonalKeyRecord => ({
  orgId: row.org_id,
  keyId: row.id,
  scope: row.scope,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  user: { id: Number(row.person), login: row.login, name: row.name, avatarUrl: row.avatar_url },
  installed: row.installed,
  membership: row.role && {
    orgId: row.org_id,
    org: row.org_login,
    role: row.role,
    confirmedAt: row.confirmed_at,
    accessObservedAt: row.access_observed_at,
  },
});
