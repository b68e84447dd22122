import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { App } from '../state/app.js';
import type { User } from '../state/user.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';

interface Authorization {
  readonly app: App;
  readonly user: User;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
}

interface TokenError {
  readonly error: string;
  readonly error_description: string;
}

const CODE_LIFE_MS = 600_000;
const ACCESS_LIFE_S = 28_800;
const REFRESH_LIFE_S = 15_897_600;

/** The OAuth web flow of GitHub Apps: codes that work once for ten minutes, PKCE by S256, tokens that are refreshed. */
export class OAuth {
  private readonly codes = new Map<string, Authorization>();
  private readonly refreshTokens = new Map<
    string,
    { readonly app: App; readonly user: User; readonly access: string }
  >();

  constructor(private readonly state: SimulatedGitHubState) {}

  /** Returns the app and its redirect address, or the error of the request. */
  check(query: URLSearchParams): { readonly app: App; readonly redirectUri: string } | string {
    const app = this.state.apps.findByIssuer(query.get('client_id') ?? '');
    if (!app) return 'No application has this client_id.';
    const redirectUri = query.get('redirect_uri') ?? app.callbackUrls[0];
    if (redirectUri === undefined || !app.callbackUrls.includes(redirectUri)) {
      return 'The redirect_uri is not associated with this application.';
    }
    const method = query.get('code_challenge_method');
    if (query.has('code_challenge') && method !== 'S256') return 'Only the S256 code_challenge_method is supported.';
    return { app, redirectUri };
  }

  /** Performs the consent of the user. Returns the URL of the redirect. */
  approve(query: URLSearchParams, { app, redirectUri }: { app: App; redirectUri: string }, user: User): string {
    const code = randomBytes(10).toString('hex');
    const expiresAt = this.state.now().getTime() + CODE_LIFE_MS;
    this.codes.set(code, { app, user, redirectUri, challenge: query.get('code_challenge'), expiresAt });
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    return target.href;
  }

  exchange(fields: URLSearchParams): object | TokenError {
    const app = this.state.apps.findByIssuer(fields.get('client_id') ?? '');
    if (app?.clientSecrets.some((secret) => sameText(secret, fields.get('client_secret') ?? '')) !== true) {
      return fault('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.');
    }
    return fields.get('grant_type') === 'refresh_token' ? this.refresh(app, fields) : this.redeem(app, fields);
  }

  private redeem(app: App, fields: URLSearchParams): object | TokenError {
    const code = fields.get('code') ?? '';
    const granted = this.codes.get(code);
    const wrongCode = fault('bad_verification_code', 'The code passed is incorrect or expired.');
    if (!granted || granted.app !== app || granted.expiresAt <= this.state.now().getTime()) return wrongCode;
    this.codes.delete(code);
    const redirectUri = fields.get('redirect_uri');
    if (redirectUri !== null && redirectUri !== granted.redirectUri) {
      return fault(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL for this application.',
      );
    }
    if (granted.challenge !== null) {
      const digest = createHash('sha256')
        .update(fields.get('code_verifier') ?? '')
        .digest('base64url');
      if (!sameText(digest, granted.challenge)) return wrongCode;
    }
    return this.issue(app, granted.user);
  }

  private refresh(app: App, fields: URLSearchParams): object | TokenError {
    const token = fields.get('refresh_token') ?? '';
    const granted = this.refreshTokens.get(token);
    if (!granted || granted.app !== app || !this.state.accounts.has(granted.user)) {
      return fault('bad_refresh_token', 'The refresh token passed is incorrect or expired.');
    }
    this.refreshTokens.delete(token);
    this.state.tokens.revoke(granted.access);
    return this.issue(app, granted.user);
  }

  private issue(app: App, user: User): object {
    const access = this.state.tokens.issueForUser(user, app);
    const refreshToken = `ghr_${randomBytes(24).toString('hex')}`;
    this.refreshTokens.set(refreshToken, { app, user, access });
    return {
      access_token: access,
      expires_in: ACCESS_LIFE_S,
      refresh_token: refreshToken,
      refresh_token_expires_in: REFRESH_LIFE_S,
      scope: '',
      token_type: 'bearer',
    };
  }
}

function fault(error: string, description: string): TokenError {
  return { error, error_description: description };
}

function sameText(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
