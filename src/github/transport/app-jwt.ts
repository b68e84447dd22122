import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { GitHubError } from './github-error.js';

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
