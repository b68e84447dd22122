import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { EncryptionService, DecryptionError } from '../../../crypto/encryption.service.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { UsersRepository, type EncryptedTokens, type StoredTokens } from './users.repository.js';

/** Stored instead of tokens that GitHub no longer accepts. */
const NO_TOKENS: EncryptedTokens = { access: null, accessExpiresAt: null, refresh: null, refreshExpiresAt: null };

/** Encrypts the tokens of users. A ciphertext decrypts only for the same user and the same use. */
class UserTokenEncryption {
  readonly #logger = new Logger(UserTokenEncryption.name);

  constructor(private readonly encryption: EncryptionService) {}

  encrypt(
    userId: number,
    { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt }: UserTokenPair,
  ): EncryptedTokens {
    return {
      access: this.encryption.encrypt(accessToken, userTokenContext(userId, 'access')),
      accessExpiresAt,
      refresh:
        refreshToken === null ? null : this.encryption.encrypt(refreshToken, userTokenContext(userId, 'refresh')),
      refreshExpiresAt,
    };
  }

  /** Returns null if there is no token or it cannot be decrypted. The next sign-in of the user stores new tokens. */
  decrypt(userId: number, use: 'access' | 'refresh', ciphertext: string | null): string | null {
    if (ciphertext === null) return null;
    try {
      return this.encryption.decrypt(ciphertext, userTokenContext(userId, use));
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.#logger.warn(
        `The tokens of user ${userId} cannot be decrypted: ${error.message} The user must sign in again.`,
      );
      return null;
    }
  }
}

/** Binds a ciphertext to its owner and its use. */
export const userTokenContext = (userId: number, use: 'access' | 'refresh'): string => `person:${userId}:${use}`;

const MINUTE_MS = 60_000;
/** A token is not returned in its last minutes, because the work that starts with it must also finish with it. */
const MIN_VALIDITY_MS = 10 * MINUTE_MS;
/** Longer than a call to GitHub may take, so that no second process sends a refresh token while the first call runs. */
const LEASE_MS = MINUTE_MS;
/** How long a caller waits for tokens that another process refreshes: 50 × 100 ms. */
const MAX_READS = 50;
const READ_INTERVAL_MS = 100;

/**
 * The GitHub tokens of users, stored encrypted and refreshed before they expire. A refresh token works once, so one process sends
 * it and the others wait for the result. If a process stops between GitHub's response and the database, the tokens are lost. The
 * next refresh detects this, and the user has no tokens until the next sign-in.
 */
@Injectable()
export class UserTokensService {
  readonly #logger = new Logger(UserTokensService.name);
  readonly #refreshes = new SingleFlight<string | null>();
  private readonly encryption: UserTokenEncryption;

  constructor(
    private readonly users: UsersRepository,
    encryption: EncryptionService,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {
    this.encryption = new UserTokenEncryption(encryption);
  }

  /** Saves a user who has just signed in, with the tokens of this sign-in. */
  async save(user: User, tokens: UserTokenPair): Promise<void> {
    await this.users.upsert(user, this.encryption.encrypt(user.id, tokens), this.clock.now());
  }

  /**
   * Returns a token that is valid for at least ten minutes. Returns null if the user has given none or has revoked it.
   * Throws a `GitHubError` if the token must be refreshed and GitHub does not answer.
   */
  async findAccessToken(userId: number): Promise<string | null> {
    const stored = await this.users.findTokens(userId);
    if (stored === null || stored.access === null) return null;
    return this.isValidFor(MIN_VALIDITY_MS, stored.accessExpiresAt)
      ? this.encryption.decrypt(userId, 'access', stored.access)
      : this.#refreshes.run(String(userId), () => this.refreshLeased(userId, stored));
  }

  private async refreshLeased(userId: number, stored: StoredTokens): Promise<string | null> {
    const refreshToken = this.isValidFor(0, stored.refreshExpiresAt)
      ? this.encryption.decrypt(userId, 'refresh', stored.refresh)
      : null;
    if (refreshToken === null) return this.findUnexpired(userId, stored);
    const now = this.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const isLeased = await this.users.leaseTokenRefresh(userId, stored.version, now, until);
    return isLeased ? this.refresh(userId, stored, refreshToken) : this.waitForOthers(userId, stored);
  }

  private async refresh(userId: number, stored: StoredTokens, refreshToken: string): Promise<string | null> {
    try {
      const tokens = await this.github.oauth.refresh(refreshToken);
      const encrypted = this.encryption.encrypt(userId, tokens);
      if (await this.users.replaceTokens(userId, stored.version, encrypted, this.clock.now()))
        return tokens.accessToken;
      return await this.findNewerToken(userId, stored.version);
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) return this.deleteTokens(userId, stored);
      const unexpired = error instanceof GitHubError ? this.findUnexpired(userId, stored) : null;
      if (unexpired === null) throw error;
      return unexpired;
    }
  }

  /** Deletes tokens that GitHub rejects: they expired, were used already, or the user revoked them. */
  private async deleteTokens(userId: number, stored: StoredTokens): Promise<string | null> {
    const isDeleted = await this.users.replaceTokens(userId, stored.version, NO_TOKENS, this.clock.now());
    if (!isDeleted) return this.findNewerToken(userId, stored.version);
    this.#logger.log(`GitHub rejects the tokens of user ${userId}; they were deleted.`);
    return null;
  }

  /** Waits for the process that has the lease. Returns its token, or the old one while that is valid. */
  private async waitForOthers(userId: number, stored: StoredTokens): Promise<string | null> {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      await pause(READ_INTERVAL_MS);
      const current = await this.users.findTokens(userId);
      if (current?.version !== stored.version) return this.findNewerToken(userId, stored.version);
    }
    const unexpired = this.findUnexpired(userId, stored);
    if (unexpired === null) throw new GitHubError('timeout', 'tokens are being refreshed elsewhere');
    return unexpired;
  }

  /** Returns the token of the pair that replaced this version. Null if there is none. */
  private async findNewerToken(userId: number, version: number): Promise<string | null> {
    const current = await this.users.findTokens(userId);
    if (current === null || current.version === version) return null;
    return this.findUnexpired(userId, current);
  }

  private findUnexpired(userId: number, { access, accessExpiresAt }: StoredTokens): string | null {
    return this.isValidFor(0, accessExpiresAt) ? this.encryption.decrypt(userId, 'access', access) : null;
  }

  /** A token without an expiry is valid until the user revokes it. */
  private isValidFor(milliseconds: number, expiresAt: Date | null): boolean {
    return expiresAt === null || expiresAt.getTime() - this.clock.now().getTime() > milliseconds;
  }
}
