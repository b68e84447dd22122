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
    person: number,
    { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt }: UserTokenPair,
  ): EncryptedTokens {
    return {
      access: this.sealer.encrypt(accessToken, contextOf(person, 'access')),
      accessExpiresAt,
      refresh: refreshToken === null ? null : this.sealer.encrypt(refreshToken, contextOf(person, 'refresh')),
      refreshExpiresAt,
    };
  }

  /** Null where there is none, or none that opens: the person gives new ones with the next sign-in. */
  decrypt(person: number, use: 'access' | 'refresh', sealed: string | null): string | null {
    if (sealed === null) return null;
    try {
      return this.sealer.decrypt(sealed, contextOf(person, use));
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.#logger.warn(`The tokens of person ${person} are lost until they sign in again. ${error.message}`);
      return null;
    }
  }
}

const contextOf = (person: number, use: 'access' | 'refresh'): string => `person:${person}:${use}`;

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
    private readonly people: UsersRepository,
    private readonly seals: UserTokenEncryption,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /** Keeps who has just signed in, with the tokens that they gave. */
  async save(person: User, tokens: UserTokenPair): Promise<void> {
    await this.people.upsert(person, this.seals.encrypt(person.id, tokens), this.clock.now());
  }

  /**
   * A token that the host takes for ten minutes yet; null where the person has given none or takes it back. Rejects with
   * a `GitHubError` where the only way to know is the host, and it does not answer.
   */
  async findAccessToken(person: number): Promise<string | null> {
    const kept = await this.people.findTokens(person);
    if (kept === null || kept.access === null) return null;
    return this.livesFor(SPARE_MS, kept.accessExpiresAt)
      ? this.seals.decrypt(person, 'access', kept.access)
      : this.#renewals.run(String(person), () => this.renew(person, kept));
  }

  private async renew(person: number, kept: StoredTokens): Promise<string | null> {
    const refresh = this.livesFor(0, kept.refreshExpiresAt)
      ? this.seals.decrypt(person, 'refresh', kept.refresh)
      : null;
    if (refresh === null) return this.stillLiving(person, kept);
    const now = this.clock.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    if (!(await this.people.leaseTokenRefresh(person, kept.version, now, until))) return this.awaitOthers(person, kept);
    return this.refresh(person, kept, refresh);
  }

  private async refresh(person: number, kept: StoredTokens, refreshToken: string): Promise<string | null> {
    try {
      const tokens = await this.github.oauth.refresh(refreshToken);
      const sealed = this.seals.encrypt(person, tokens);
      if (await this.people.replaceTokens(person, kept.version, sealed, this.clock.now())) return tokens.accessToken;
      return await this.tokenOfLater(person, kept.version);
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) return this.forget(person, kept);
      const living = error instanceof GitHubError ? this.stillLiving(person, kept) : null;
      if (living === null) throw error;
      return living;
    }
  }

  /** The host takes the tokens no more: they expired, were used up, or the person withdrew them. */
  private async forget(person: number, kept: StoredTokens): Promise<string | null> {
    const forgotten = await this.people.replaceTokens(person, kept.version, NO_TOKENS, this.clock.now());
    if (!forgotten) return this.tokenOfLater(person, kept.version);
    this.#logger.log(`The code host takes the tokens of person ${person} no more.`);
    return null;
  }

  /** Another process has sent the refresh token: its result, else what still lives. */
  private async awaitOthers(person: number, kept: StoredTokens): Promise<string | null> {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(LOOK_EVERY_MS);
      const now = await this.people.findTokens(person);
      if (now?.version !== kept.version) return this.tokenOfLater(person, kept.version);
    }
    const living = this.stillLiving(person, kept);
    if (living === null) throw new GitHubError('timeout', 'tokens are being refreshed elsewhere');
    return living;
  }

  /** The token of a pair that took the place of the known one. */
  private async tokenOfLater(person: number, version: number): Promise<string | null> {
    const now = await this.people.findTokens(person);
    if (now === null || now.version === version) return null;
    return this.stillLiving(person, now);
  }

  private stillLiving(person: number, { access, accessExpiresAt }: StoredTokens): string | null {
    return this.livesFor(0, accessExpiresAt) ? this.seals.decrypt(person, 'access', access) : null;
  }

  /** A token without an end lives until the person takes it back. */
  private livesFor(milliseconds: number, until: Date | null): boolean {
    return until === null || until.getTime() - this.clock.now().getTime() > milliseconds;
  }
}
