import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { GitHubError, type GitHubErrorKind } from '../transport/github-error.js';
import { HttpExchange, describeCall, type HttpResponse, type HttpRequest } from '../transport/http-exchange.js';
import { JsonReader } from '../transport/json-reader.js';

/** The tokens by which the app acts for a user. */
export interface UserTokenPair {
  readonly accessToken: string;
  /** Null if the app's tokens do not expire. Then there is no refresh token. */
  readonly accessExpiresAt: Date | null;
  readonly refreshToken: string | null;
  readonly refreshExpiresAt: Date | null;
}

interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  /** The S256 challenge of a verifier (RFC 7636, § 4.2). */
  readonly challenge: string;
}

interface CodeGrant {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

const SECOND = 1000;

/** GitHub reports errors with the status 200: https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors */
const KINDS: Readonly<Partial<Record<string, GitHubErrorKind>>> = {
  bad_verification_code: 'invalid',
  bad_refresh_token: 'invalid',
  unverified_user_email: 'forbidden',
  incorrect_client_credentials: 'unauthorized',
};

/**
 * The OAuth flow of a GitHub App, by which users sign in. A code and a refresh token work once, so no request is sent
 * twice and no redirect is followed. A code or refresh token that GitHub rejects fails as `invalid`.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 */
export class OAuth {
  private readonly exchange: HttpExchange;

  constructor(
    private readonly settings: GitHubSettings,
    private readonly clock: Clock,
  ) {
    this.exchange = new HttpExchange(settings);
  }

  /** Returns whether the app has the credentials that sign-in needs. */
  isConfigured(): boolean {
    return (this.settings.clientId ?? '') !== '' && (this.settings.clientSecret ?? '') !== '';
  }

  /** Builds the address where the user consents. */
  authorizationUrl({ redirectUri, state, challenge }: AuthorizationRequest): string {
    const url = new URL(`${this.settings.webUrl}/login/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: this.credentials().client_id,
      redirect_uri: redirectUri,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString();
    return url.href;
  }

  /** Exchanges the code of GitHub's redirect for tokens. */
  async redeem({ code, verifier, redirectUri }: CodeGrant): Promise<UserTokenPair> {
    return this.requestTokens({ code, code_verifier: verifier, redirect_uri: redirectUri });
  }

  /** Returns new tokens. The refresh token and its access token are invalid afterwards. */
  async refresh(refreshToken: string): Promise<UserTokenPair> {
    return this.requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  private async requestTokens(grant: Readonly<Record<string, string>>): Promise<UserTokenPair> {
    const request: HttpRequest = {
      method: 'POST',
      url: `${this.settings.webUrl}/login/oauth/access_token`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': this.settings.userAgent ?? 'shipgate',
      },
      body: JSON.stringify({ ...this.credentials(), ...grant }),
    };
    const requestedAt = this.clock.now();
    const answer = await this.exchange.send(request);
    if (answer.status !== 200) throw unexpectedStatus(request, answer.status);
    const body = readResponse(request, answer);
    if (body.has('error')) throw toOAuthError(request, body.text('error'));
    return toTokenPair(body, requestedAt);
  }

  private credentials(): { readonly client_id: string; readonly client_secret: string } {
    const { clientId, clientSecret } = this.settings;
    if (!clientId || !clientSecret) throw new GitHubError('unauthorized', 'the app has no client id and secret yet');
    return { client_id: clientId, client_secret: clientSecret };
  }
}

function readResponse(request: HttpRequest, { text }: HttpResponse): JsonReader {
  try {
    return new JsonReader(JSON.parse(text), describeCall(request));
  } catch {
    // Without the cause, which quotes the text: part of it may be a token.
    throw new GitHubError('malformed', `${describeCall(request)}: the answer is not JSON`);
  }
}

/** The error for an undocumented status, which does not mean that the code or the token is invalid. */
const unexpectedStatus = (request: HttpRequest, status: number): GitHubError =>
  new GitHubError(status >= 500 ? 'unavailable' : 'malformed', `${describeCall(request)}: ${status}`, { status });

function toOAuthError(request: HttpRequest, error: string): GitHubError {
  const name = /^[a-z_]{1,64}$/.test(error) ? error : 'an error without a name';
  return new GitHubError(KINDS[name] ?? 'forbidden', `${describeCall(request)}: ${name}`);
}

function toTokenPair(body: JsonReader, requestedAt: Date): UserTokenPair {
  return {
    accessToken: readToken(body, 'access_token'),
    accessExpiresAt: readExpiry(body, 'expires_in', requestedAt),
    refreshToken: body.has('refresh_token') ? readToken(body, 'refresh_token') : null,
    refreshExpiresAt: readExpiry(body, 'refresh_token_expires_in', requestedAt),
  };
}

/** Reads a token. It must consist of characters that a header can carry. */
function readToken(body: JsonReader, key: string): string {
  const token = body.text(key);
  if (!/^[\x21-\x7e]{1,1024}$/.test(token)) throw new GitHubError('malformed', `${key} is not a token`);
  return token;
}

/** Counts from before the request, so that the expiry is never too late. */
function readExpiry(body: JsonReader, key: string, requestedAt: Date): Date | null {
  const seconds = body.integerOrNull(key);
  return seconds === null ? null : new Date(requestedAt.getTime() + seconds * SECOND);
}
