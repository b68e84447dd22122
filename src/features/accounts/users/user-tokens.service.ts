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

/** What takes the place of tokens that the host takes no more. */
const NO_TOKENS: EncryptedTokens = { access: null, accessExpiresAt: null, refresh: null, refreshExpiresAt: null };

/** Seals a person's tokens, each so that it opens as that person's and for its own use alone. */
@Injectable()
export class UserTokenEncryption {
  readonly #logger = new Logger(UserTokenEncryption.name);

  constructor(private readonly sealer: EncryptionService) {}

  encrypt(
    userId: number,
    { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt }: UserTokenPair,
  ): EncryptedTokens {
    return {
      access: this.sealer.encrypt(accessToken, contextOf(userId, 'access')),
      accessExpiresAt,
      refresh: refreshToken === null ? null : this.sealer.encrypt(refreshToken, contextOf(userId, 'refresh')),
      refreshExpiresAt,
    };
  }

  /** Null where there is none, or none that opens: the person gives new ones with the next sign-in. */
  decrypt(userId: number, use: 'access' | 'refresh', sealed: string | null): string | null {
    if (sealed === null) return null;
    try {
      return this.sealer.decrypt(sealed, contextOf(userId, use));
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.#logger.warn(`The tokens of person ${userId} are lost until they sign in again. ${error.message}`);
      return null;
    }
  }
}

const contextOf = (userId: number, use: 'access' | 'refresh'): string => `person:${userId}:${use}`;

const MINUTE_MS = 60_000;
/** A token is not handed out in its last minutes: what is begun with it must also end. */
const SPARE_MS = 10 * MINUTE_MS;
/** Longer than the host may take to answer, so that nobody sends a token a second time that is still under way. */
const CLAIM_MS = MINUTE_MS;
/** How long a caller waits for tokens that another process is fetching: 50 × 100 ms. */
const LOOKS = 50;
const LOOK_EVERY_MS = 100;

/**
 * People's tokens for the code host: kept sealed, renewed before they expire. A refresh token works once, so one process
 * at a time sends it, and the others wait for what comes of it. Where a process dies between the host's answer and
 * the database, the tokens are lost, which the next refresh finds out: then the person has none until they sign in again.
 */
@Injectable()
export class UserTokensService {
  readonly #logger = new Logger(UserTokensService.name);
  readonly #renewals = new SingleFlight<string | null>();

  constructor(
    private readonly users: UsersRepository,
    private readonly seals: UserTokenEncryption,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /** Keeps who has just signed in, with the tokens that they gave. */
  async save(user: User, tokens: UserTokenPair): Promise<void> {
    await this.users.upsert(user, this.seals.encrypt(user.id, tokens), this.clock.now());
  }

  /**
   * A token that the host takes for ten minutes yet; null where the person has given none or takes it back. Rejects with
   * a `GitHubError` where the only way to know is the host, and it does not answer.
   */
  async findAccessToken(userId: number): Promise<string | null> {
    const kept = await this.users.findTokens(userId);
    if (kept === null || kept.access === null) return null;
    return this.livesFor(SPARE_MS, kept.accessExpiresAt)
      ? this.seals.decrypt(userId, 'access', kept.access)
      : this.#renewals.run(String(userId), () => this.renew(userId, kept));
  }

  private async renew(userId: number, kept: StoredTokens): Promise<string | null> {
    const refresh = this.livesFor(0, kept.refreshExpiresAt)
      ? this.seals.decrypt(userId, 'refresh', kept.refresh)
      : null;
    if (refresh === null) return this.stillLiving(userId, kept);
    const now = this.clock.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    if (!(await this.users.leaseTokenRefresh(userId, kept.version, now, until))) return this.awaitOthers(userId, kept);
    return this.refresh(userId, kept, refresh);
  }

  private async refresh(userId: number, kept: StoredTokens, refreshToken: string): Promise<string | null> {
    try {
      const tokens = await this.github.oauth.refresh(refreshToken);
      const sealed = this.seals.encrypt(userId, tokens);
      if (await this.users.replaceTokens(userId, kept.version, sealed, this.clock.now())) return tokens.accessToken;
      return await this.tokenOfLater(userId, kept.version);
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) return this.forget(userId, kept);
      const living = error instanceof GitHubError ? this.stillLiving(userId, kept) : null;
      if (living === null) throw error;
      return living;
    }
  }

  /** The host takes the tokens no more: they expired, were used up, or the person withdrew them. */
  private async forget(userId: number, kept: StoredTokens): Promise<string | null> {
    const forgotten = await this.users.replaceTokens(userId, kept.version, NO_TOKENS, this.clock.now());
    if (!forgotten) return this.tokenOfLater(userId, kept.version);
    this.#logger.log(`The code host takes the tokens of person ${userId} no more.`);
    return null;
  }

  /** Another process has sent the refresh token: its result, else what still lives. */
  private async awaitOthers(userId: number, kept: StoredTokens): Promise<string | null> {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(LOOK_EVERY_MS);
      const now = await this.users.findTokens(userId);
      if (now?.version !== kept.version) return this.tokenOfLater(userId, kept.version);
    }
    const living = this.stillLiving(userId, kept);
    if (living === null) throw new GitHubError('timeout', 'tokens are being refreshed elsewhere');
    return living;
  }

  /** The token of a pair that took the place of the known one. */
  private async tokenOfLater(userId: number, version: number): Promise<string | null> {
    const now = await this.users.findTokens(userId);
    if (now === null || now.version === version) return null;
    return this.stillLiving(userId, now);
  }

  private stillLiving(userId: number, { access, accessExpiresAt }: StoredTokens): string | null {
    return this.livesFor(0, accessExpiresAt) ? this.seals.decrypt(userId, 'access', access) : null;
  }

  /** A token without an end lives until the person takes it back. */
  private livesFor(milliseconds: number, until: Date | null): boolean {
    return until === null || until.getTime() - this.clock.now().getTime() > milliseconds;
  }
}
