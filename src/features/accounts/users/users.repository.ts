import { Injectable } from '@nestjs/common';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import type { User } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';

interface PersonRow {
  readonly github_id: string;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
}

const personOf = (row: PersonRow): User => ({
  id: Number(row.github_id),
  login: row.login,
  name: row.name,
  avatarUrl: row.avatar_url,
});

/** A person's tokens for the code host, sealed. */
export interface EncryptedTokens {
  readonly access: string | null;
  /** Null where the token does not expire. */
  readonly accessExpiresAt: Date | null;
  readonly refresh: string | null;
  readonly refreshExpiresAt: Date | null;
}

export interface StoredTokens extends EncryptedTokens {
  /** Counts the pairs that the person has had. */
  readonly version: number;
}

interface TokensRow {
  readonly access_token: string | null;
  readonly access_expires_at: Date | null;
  readonly refresh_token: string | null;
  readonly refresh_expires_at: Date | null;
  readonly tokens_version: number;
}

/** What people are called, as of when they last signed in. People as the code host knew them when they last signed in, and what they gave the app. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** By their ids; who never signed in is not in it. */
  async list(ids: readonly number[]): Promise<ReadonlyMap<number, User>> {
    const rows = await this.database.queryWithoutTenant<PersonRow>(
      'list_users',
      'select github_id, login, name, avatar_url from list_users($1)',
      [ids],
    );
    return new Map(rows.map(personOf).map((user) => [user.id, user]));
  }

  /** What was known of the person before, the tokens included, gives way. */
  async upsert(user: User, tokens: EncryptedTokens, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('upsert_user', 'select upsert_user($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      user.id,
      user.login,
      user.name,
      user.avatarUrl,
      ...columnsOf(tokens),
      at,
    ]);
  }

  /** Null for somebody who never signed in. */
  async findTokens(userId: number): Promise<StoredTokens | null> {
    const [row] = await this.database.queryWithoutTenant<TokensRow>(
      'get_user_tokens',
      `select access_token, access_expires_at, refresh_token, refresh_expires_at, tokens_version
       from get_user_tokens($1)`,
      [userId],
    );
    return row
      ? {
          access: row.access_token,
          accessExpiresAt: row.access_expires_at,
          refresh: row.refresh_token,
          refreshExpiresAt: row.refresh_expires_at,
          version: row.tokens_version,
        }
      : null;
  }

  /**
   * Whether the caller, and nobody else until the given moment, may send the refresh token of this version. An earlier
   * claim that reaches much further was made by a clock that was wrong, and counts for nothing.
   */
  async leaseTokenRefresh(userId: number, version: number, now: Date, until: Date): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly claimed: boolean }>(
      'lease_token_refresh',
      'select lease_token_refresh($1, $2, $3, $4, $5) as claimed',
      [userId, version, now, until, clockSkewLimit(until)],
    );
    return row?.claimed === true;
  }

  /** Puts tokens in place of those of the version; false where others have taken their place meanwhile. */
  async replaceTokens(userId: number, version: number, tokens: EncryptedTokens, at: Date): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly stored: boolean }>(
      'update_user_tokens',
      'select update_user_tokens($1, $2, $3, $4, $5, $6, $7) as stored',
      [userId, version, ...columnsOf(tokens), at],
    );
    return row?.stored === true;
  }
}

const columnsOf = ({ access, accessExpiresAt, refresh, refreshExpiresAt }: EncryptedTokens) =>
  [access, accessExpiresAt, refresh, refreshExpiresAt] as const;
