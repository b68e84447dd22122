import { Injectable } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS, clockSkewLimit, IDLE_TIMEOUT_MS } from '../../../auth/session/session-lifetime.js';
import type { User } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';

/** The GitHub tokens of a user, encrypted. */
export interface EncryptedTokens {
  /** Null if the user has no valid token. */
  readonly access: string | null;
  /** Null if the token does not expire. */
  readonly accessExpiresAt: Date | null;
  readonly refresh: string | null;
  readonly refreshExpiresAt: Date | null;
}

export interface StoredTokens extends EncryptedTokens {
  /** The number of token pairs that the user has had. */
  readonly version: number;
}

const USER_COLUMNS = 'github_id::float8 as id, login, name, avatar_url as "avatarUrl"';

/** Users of all workspaces as they were at their last sign-in, with their encrypted GitHub tokens. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Returns the users by their ids. A user who never signed in is missing. */
  async list(ids: readonly number[]): Promise<ReadonlyMap<number, User>> {
    const users = await this.database.queryWithoutTenant<User>(
      'list_users',
      `select ${USER_COLUMNS} from list_users($1)`,
      [ids],
    );
    return new Map(users.map((user) => [user.id, user]));
  }

  /** Returns every user who has an active session. */
  async listSignedIn(now: Date): Promise<readonly User[]> {
    return this.database.queryWithoutTenant<User>(
      'list_signed_in_users',
      `select ${USER_COLUMNS} from list_signed_in_users($1, $2, $3)`,
      activeSession(now),
    );
  }

  /** Returns the users among these who have an active session. */
  async listIdsWithActiveSession(userIds: readonly number[], now: Date): Promise<readonly number[]> {
    const rows = await this.database.queryWithoutTenant<{ readonly id: number }>(
      'list_users_with_active_session',
      'select user_id::float8 as id from list_users_with_active_session($1, $2, $3, $4)',
      [userIds, ...activeSession(now)],
    );
    return rows.map(({ id }) => id);
  }

  /** Replaces everything that is stored of the user, the tokens included. */
  async upsert(user: User, tokens: EncryptedTokens, at: Date): Promise<void> {
    await this.database.queryWithoutTenant('upsert_user', 'select upsert_user($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      user.id,
      user.login,
      user.name,
      user.avatarUrl,
      ...toParams(tokens),
      at,
    ]);
  }

  /** Returns null if the user never signed in. */
  async findTokens(userId: number): Promise<StoredTokens | null> {
    const [tokens] = await this.database.queryWithoutTenant<StoredTokens>(
      'get_user_tokens',
      `select access_token as access, access_expires_at as "accessExpiresAt", refresh_token as refresh,
         refresh_expires_at as "refreshExpiresAt", tokens_version as version
       from get_user_tokens($1)`,
      [userId],
    );
    return tokens ?? null;
  }

  /**
   * Returns whether the caller got the lease to send the refresh token of this version. No other caller gets it before `until`.
   * A lease that ends much later than `until` was written with a wrong clock and is ignored.
   */
  async leaseTokenRefresh(userId: number, version: number, now: Date, until: Date): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly leased: boolean }>(
      'lease_token_refresh',
      'select lease_token_refresh($1, $2, $3, $4, $5) as leased',
      [userId, version, now, until, clockSkewLimit(until)],
    );
    return row?.leased === true;
  }

  /** Replaces the tokens of this version. Returns false if they were replaced meanwhile. */
  async replaceTokens(userId: number, version: number, tokens: EncryptedTokens, at: Date): Promise<boolean> {
    const [row] = await this.database.queryWithoutTenant<{ readonly stored: boolean }>(
      'update_user_tokens',
      'select update_user_tokens($1, $2, $3, $4, $5, $6, $7) as stored',
      [userId, version, ...toParams(tokens), at],
    );
    return row?.stored === true;
  }
}

const toParams = ({ access, accessExpiresAt, refresh, refreshExpiresAt }: EncryptedTokens) =>
  [access, accessExpiresAt, refresh, refreshExpiresAt] as const;

/** Builds the parameters of an active session: used after, created after, and the limit for times of wrong clocks. */
const activeSession = (now: Date): readonly Date[] => [
  new Date(now.getTime() - IDLE_TIMEOUT_MS),
  new Date(now.getTime() - ABSOLUTE_TIMEOUT_MS),
  clockSkewLimit(now),
];
