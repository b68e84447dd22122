import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import type { MemberRole, Membership, User } from './user.js';

/** A stored API key, with the values for its authorization. */
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

/** Returns the status of a key. At `expiresAt` the key has already expired. */
export function keyStatus(
  { revokedAt, expiresAt }: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>,
  now: Date,
): KeyStatus {
  if (revokedAt !== null) return 'revoked_key';
  return expiresAt !== null && expiresAt <= now ? 'expired_key' : 'live';
}

/** A stored personal key with its owner, with the values for its authorization. */
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
  /** Null if the owner is not a member of the key's workspace any more. */
  readonly membership: Membership | null;
}

interface PersonalKeyColumns extends Omit<PersonalKeyRecord, 'user' | 'membership'>, Omit<User, 'id'> {
  readonly userId: number;
  readonly org: string;
  /** Null if the owner is not a member. Then the times are null too. */
  readonly role: MemberRole | null;
  readonly confirmedAt: Date;
  readonly accessObservedAt: Date | null;
}

/** Finds keys before their workspace is known, in one round trip. */
@Injectable()
export class CredentialsQueries {
  constructor(private readonly database: Database) {}

  /** Returns the key with this hash, also if it is revoked or expired. Null if there is none. */
  async findApiKeyByHash(secretHash: Buffer): Promise<ApiKeyRecord | null> {
    const [key] = await this.database.queryWithoutTenant<ApiKeyRecord>(
      'find_api_key',
      `select org_id as "orgId", id as "keyId", scopes, repository_ids as "repositoryIds", expires_at as "expiresAt",
         revoked_at as "revokedAt", last_used_at as "lastUsedAt"
       from find_api_key($1)`,
      [secretHash],
    );
    return key ?? null;
  }

  /** Returns the key with this hash, also if it is revoked or expired. Null if there is none. */
  async findPersonalKeyByHash(secretHash: Buffer): Promise<PersonalKeyRecord | null> {
    const [row] = await this.database.queryWithoutTenant<PersonalKeyColumns>(
      'find_personal_key',
      `select org_id as "orgId", id as "keyId", scope, expires_at as "expiresAt", revoked_at as "revokedAt",
         last_used_at as "lastUsedAt", person::float8 as "userId", login, name, avatar_url as "avatarUrl",
         org_login as org, installed, role, confirmed_at as "confirmedAt", access_observed_at as "accessObservedAt"
       from find_personal_key($1)`,
      [secretHash],
    );
    if (!row) return null;
    const { userId, login, name, avatarUrl, org, role, confirmedAt, accessObservedAt, ...key } = row;
    return {
      ...key,
      user: { id: userId, login, name, avatarUrl },
      membership: role && { orgId: key.orgId, org, role, confirmedAt, accessObservedAt },
    };
  }
}
