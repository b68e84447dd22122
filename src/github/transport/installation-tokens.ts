import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { SingleFlight } from '../../concurrency/single-flight.js';
import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { GitHubError, stoppedWaiting } from './github-error.js';
import { type InstallationScope, scopeKey } from './token-scope.js';

export interface InstallationToken {
  readonly secret: string;
  readonly expiresAt: Date;
  /** Its permissions by GitHub's names, as `contents: write`; null where GitHub did not say. */
  readonly permissions: Readonly<Record<string, string>> | null;
}

/** Creates a token at GitHub. */
type CreateToken = (scope: InstallationScope) => Promise<InstallationToken>;

/** A token is not used in its last minutes: a paginated read that it begins, it must also end. */
const SPARE_MS = 5 * 60_000;

/** Installation tokens, one for each scope, kept until five minutes before they expire; in memory only. */
export class InstallationTokens {
  private readonly tokens = new Map<string, InstallationToken>();
  private readonly creations = new SingleFlight<InstallationToken>(stoppedWaiting);

  constructor(
    private readonly create: CreateToken,
    private readonly clock: Clock,
  ) {}

  async get(scope: InstallationScope, signal?: AbortSignal): Promise<InstallationToken> {
    const key = scopeKey(scope);
    const cached = this.tokens.get(key);
    if (cached !== undefined && this.isFresh(cached)) return cached;
    return this.creations.run(key, () => this.renew(key, scope), signal);
  }

  /** Forgets a token that GitHub refused; one that replaced it meanwhile stays. */
  drop(scope: InstallationScope, refused: InstallationToken): void {
    const key = scopeKey(scope);
    if (this.tokens.get(key) === refused) this.tokens.delete(key);
  }

  private async renew(key: string, scope: InstallationScope): Promise<InstallationToken> {
    this.deleteExpired();
    const token = await this.createOrExplain(scope);
    this.tokens.set(key, token);
    return token;
  }

  private async createOrExplain(scope: InstallationScope): Promise<InstallationToken> {
    try {
      return await this.create(scope);
    } catch (error) {
      if (GitHubError.is(error, 'not_found')) {
        throw new GitHubError('unauthorized', `installation ${scope.installationId} is gone`, { cause: error });
      }
      // GitHub answers 422 to a repository that the installation does not reach.
      if (GitHubError.is(error, 'invalid') && scope.repositoryId !== null) {
        const message = `installation ${scope.installationId} does not reach repository ${scope.repositoryId}`;
        throw new GitHubError('not_found', message, { cause: error });
      }
      throw error;
    }
  }

  private deleteExpired(): void {
    for (const [key, token] of this.tokens) if (!this.isFresh(token)) this.tokens.delete(key);
  }

  private isFresh(token: InstallationToken): boolean {
    return token.expiresAt.getTime() - SPARE_MS > this.clock.now().getTime();
  }
}

const SECOND = 1000;
/** Issued a minute ago, so that a host whose clock is behind takes it: GitHub's own advice. */
const BACKDATED_S = 60;
/** GitHub refuses more than ten minutes; one is kept for the clocks. */
const LIFETIME_S = 540;

/**
 * Signs the token by which the app speaks for itself.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export class AppJwt {
  /** The key that was read last, and its text: reading one takes as long as signing with it. */
  private read: { readonly pem: string; readonly key: KeyObject } | null = null;

  constructor(
    private readonly settings: GitHubSettings,
    private readonly clock: Clock,
  ) {}

  async sign(): Promise<string> {
    const now = Math.floor(this.clock.now().getTime() / SECOND);
    return new SignJWT()
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(this.settings.clientId ?? this.settings.appId)
      .setIssuedAt(now - BACKDATED_S)
      .setExpirationTime(now + LIFETIME_S)
      .sign(this.privateKey());
  }

  private privateKey(): KeyObject {
    const pem = this.settings.privateKey;
    if (this.read?.pem === pem) return this.read.key;
    try {
      const key = createPrivateKey(pem);
      this.read = { pem, key };
      return key;
    } catch {
      // The cause is left out: what it quotes may be part of the key.
      throw new GitHubError('unauthorized', "the app's private key cannot be read");
    }
  }
}
