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
  /** The permissions by GitHub's names, for example `contents: write`; null if GitHub did not report them. */
  readonly permissions: Readonly<Record<string, string>> | null;
}

/** Creates a token at GitHub. */
type CreateToken = (scope: InstallationScope) => Promise<InstallationToken>;

/** A token is not used in its last minutes, so that it does not expire during a paginated read. */
const SAFETY_MARGIN_MS = 5 * 60_000;

/** Caches one installation token per scope in memory, until five minutes before it expires. */
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
    return this.creations.run(key, () => this.refresh(key, scope), signal);
  }

  /** Deletes a token that GitHub rejected, unless a newer one replaced it. */
  drop(scope: InstallationScope, rejected: InstallationToken): void {
    const key = scopeKey(scope);
    if (this.tokens.get(key) === rejected) this.tokens.delete(key);
  }

  private async refresh(key: string, scope: InstallationScope): Promise<InstallationToken> {
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
        throw new GitHubError('unauthorized', `installation ${scope.installationId} was removed`, { cause: error });
      }
      // GitHub answers 422 for a repository that the installation cannot access.
      if (GitHubError.is(error, 'invalid') && scope.repositoryId !== null) {
        const message = `installation ${scope.installationId} cannot access repository ${scope.repositoryId}`;
        throw new GitHubError('not_found', message, { cause: error });
      }
      throw error;
    }
  }

  private deleteExpired(): void {
    for (const [key, token] of this.tokens) if (!this.isFresh(token)) this.tokens.delete(key);
  }

  private isFresh(token: InstallationToken): boolean {
    return token.expiresAt.getTime() - SAFETY_MARGIN_MS > this.clock.now().getTime();
  }
}

const SECOND = 1000;
/** Dated one minute back, as GitHub recommends, in case its clock is behind. */
const BACKDATED_S = 60;
/** GitHub rejects more than ten minutes. One minute is left for clock differences. */
const LIFETIME_S = 540;

/**
 * Signs the token that authenticates the app.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export class AppJwt {
  /** The last parsed key with its text, because parsing a key takes as long as signing. */
  private parsed: { readonly pem: string; readonly key: KeyObject } | null = null;

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
    if (this.parsed?.pem === pem) return this.parsed.key;
    try {
      const key = createPrivateKey(pem);
      this.parsed = { pem, key };
      return key;
    } catch {
      // Without the cause, which may quote part of the key.
      throw new GitHubError('unauthorized', "the app's private key cannot be read");
    }
  }
}
