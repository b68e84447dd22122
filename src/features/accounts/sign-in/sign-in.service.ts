import { Inject, Injectable, Logger } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import {
  appNotConfigured,
  authorizationCodeRejected,
  authorizationDenied,
  loginAttemptNotFound,
  RETRY_AFTER_SECONDS,
} from '../accounts.errors.js';
import { MembersService } from '../members/members.service.js';
import type { WorkspaceMembership } from '../members/memberships.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { LoginAttemptsRepository } from './login-attempts.repository.js';
import { LOGIN_TIMEOUT_MS, LoginSecret } from './login-cookie.js';

/** The parameters of GitHub's redirect. A parameter is absent unless it was sent exactly once, as text. */
export interface OAuthCallback {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/** A started sign-in. The browser stores the secret. */
interface StartedLogin {
  readonly secret: LoginSecret;
  readonly url: string;
}

/** A completed sign-in, with the workspaces that the user can select. */
export interface SignInResult {
  readonly user: User;
  readonly memberships: readonly WorkspaceMembership[];
  /** A path of this service. */
  readonly returnTo: string;
}

/**
 * Signs users in by GitHub's OAuth flow. A callback counts once, within ten minutes, and only in the browser that started the
 * sign-in, so that an attacker cannot sign a victim in as the attacker (RFC 9700, § 4.7).
 */
@Injectable()
export class SignInService {
  readonly #logger = new Logger(SignInService.name);
  readonly #redirectUri: string;

  constructor(
    private readonly attempts: LoginAttemptsRepository,
    private readonly github: GitHubGateway,
    private readonly tokens: UserTokensService,
    private readonly members: MembersService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { baseUrl }: Environment,
  ) {
    this.#redirectUri = `${baseUrl}/api/auth/callback`;
  }

  /** Throws `unavailable` if the app has no credentials. */
  async start(returnTo: string): Promise<StartedLogin> {
    if (!this.github.oauth.isConfigured()) throw appNotConfigured();
    const secret = LoginSecret.create();
    const { state, challenge } = secret;
    const url = this.github.oauth.authorizationUrl({ redirectUri: this.#redirectUri, state, challenge });
    await this.attempts.create(secret.hash, returnTo, this.clock.now());
    return { secret, url };
  }

  /**
   * Throws `invalid` if the callback does not belong to a sign-in of this browser or GitHub rejects its code, `forbidden` if
   * the user or GitHub denied the authorization, and `unavailable` if GitHub does not answer.
   */
  async complete(secret: LoginSecret | null, { code, state, error }: OAuthCallback): Promise<SignInResult> {
    if (!this.github.oauth.isConfigured()) throw appNotConfigured();
    // A wrong state does not end the attempt. Otherwise another page could end it.
    if (secret === null || state === undefined || !secret.hasState(state)) throw loginAttemptNotFound();
    const startedAfter = new Date(this.clock.now().getTime() - LOGIN_TIMEOUT_MS);
    const returnTo = await this.attempts.consume(secret.hash, startedAfter);
    if (returnTo === null) throw loginAttemptNotFound();
    if (error !== undefined) throw authorizationDenied(error);
    if (code === undefined) throw authorizationCodeRejected();
    return { ...(await this.identify(await this.redeem(code, secret))), returnTo };
  }

  private async redeem(code: string, { verifier }: LoginSecret): Promise<UserTokenPair> {
    try {
      return await this.github.oauth.redeem({ code, verifier, redirectUri: this.#redirectUri });
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) throw authorizationCodeRejected(error);
      throw this.toSignInError(error);
    }
  }

  private async identify(tokens: UserTokenPair): Promise<Omit<SignInResult, 'returnTo'>> {
    const user = await this.readUser(tokens.accessToken);
    await this.tokens.save(user, tokens);
    return { user, memberships: await this.members.syncOnSignIn(user, tokens.accessToken) };
  }

  private async readUser(token: string): Promise<User> {
    try {
      return (await this.github.userAccess.account(token)).value;
    } catch (error) {
      throw this.toSignInError(error);
    }
  }

  private toSignInError(error: unknown): unknown {
    if (!(error instanceof GitHubError)) return error;
    // No user can sign in until the operator corrects the credentials.
    if (error.kind === 'unauthorized')
      this.#logger.error(`GitHub rejects the credentials of the app: ${String(error)}`);
    return error.isTransient
      ? githubUnavailable(error, {
          nextStep: 'Sign in again at /api/auth/login.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
      : authorizationDenied('', error);
  }
}
