/** What somebody is told who could not be signed in: each sentence says what to do next. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { MembersService } from '../members/members.service.js';
import type { WorkspaceMembership } from '../members/memberships.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { LoginAttemptsRepository } from './login-attempts.repository.js';
import { LOGIN_TIMEOUT_MS, LoginSecret } from './login-cookie.js';

const RETRY_AFTER_SECONDS = 30;

export const badReturnPath = (): DomainError =>
  new DomainError('invalid', 'returnTo must be a path of this service of at most 2000 characters, as /releases.');

const notConfigured = (): DomainError =>
  new DomainError('unavailable', 'Nobody can sign in before the GitHub App is set up: run "npm run setup".', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** One sentence for all of them: whoever forges an answer is not told what was wrong with it. */
const loginAttemptNotFound = (): DomainError =>
  new DomainError(
    'invalid',
    'This sign-in was not begun in this browser, is over, or took longer than 10 minutes: begin again at /api/auth/login.',
  );

/** The host said no, by the name of its error. */
const authorizationDenied = (name: string, cause?: unknown): DomainError =>
  new DomainError(
    'forbidden',
    name === 'access_denied'
      ? 'You did not let the app sign you in. To try again, begin at /api/auth/login.'
      : 'The code host did not let you sign in.',
    { cause },
  );

const authorizationCodeRejected = (cause?: unknown): DomainError =>
  new DomainError('invalid', 'The code host did not take the code of this sign-in: begin again at /api/auth/login.', {
    cause,
  });

export const notYourWorkspace = (): DomainError =>
  new DomainError('forbidden', 'You are not a member of a workspace of this name.');

/** What the host sent the browser back with; each is absent where it was not sent once, as text. */
export interface OAuthCallback {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/** A sign-in that has begun: the secret is the browser's to keep. */
interface BegunLogin {
  readonly secret: LoginSecret;
  readonly url: string;
}

/** Who has signed in, and what they may select. */
export interface SignInResult {
  readonly user: User;
  readonly standings: readonly WorkspaceMembership[];
  /** A path of this service. */
  readonly returnTo: string;
}

/**
 * Signs people in by the code host's OAuth flow. An answer of the host counts once, within ten minutes, and in the
 * browser alone that was sent there, so that nobody can sign another person in as themselves (RFC 9700, § 4.7).
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

  /** Throws `unavailable` while the app has no credentials. */
  async start(returnTo: string): Promise<BegunLogin> {
    if (!this.github.oauth.isConfigured()) throw notConfigured();
    const secret = LoginSecret.create();
    const { state, challenge } = secret;
    const url = this.github.oauth.authorizationUrl({ redirectUri: this.#redirectUri, state, challenge });
    await this.attempts.begin(secret.hash, returnTo, this.clock.now());
    return { secret, url };
  }

  /**
   * Throws `invalid` where the answer is not one to this browser's sign-in, or the host takes its code no more; `forbidden`
   * where the person or the host said no; `unavailable` where the host cannot be asked.
   */
  async complete(secret: LoginSecret | null, { code, state, error }: OAuthCallback): Promise<SignInResult> {
    if (!this.github.oauth.isConfigured()) throw notConfigured();
    // A wrong state is no answer to this attempt, which goes on: or anybody could end it from another page.
    if (secret === null || state === undefined || !secret.hasState(state)) throw loginAttemptNotFound();
    const begunAfter = new Date(this.clock.now().getTime() - LOGIN_TIMEOUT_MS);
    const returnTo = await this.attempts.take(secret.hash, begunAfter);
    if (returnTo === null) throw loginAttemptNotFound();
    if (error !== undefined) throw authorizationDenied(error);
    if (code === undefined) throw authorizationCodeRejected();
    return { ...(await this.arrive(await this.redeem(code, secret))), returnTo };
  }

  private async redeem(code: string, { verifier }: LoginSecret): Promise<UserTokenPair> {
    try {
      return await this.github.oauth.redeem({ code, verifier, redirectUri: this.#redirectUri });
    } catch (error) {
      if (GitHubError.is(error, 'invalid')) throw authorizationCodeRejected(error);
      throw this.hostFailure(error);
    }
  }

  private async arrive(tokens: UserTokenPair): Promise<Omit<SignInResult, 'returnTo'>> {
    const user = await this.whoseIs(tokens.accessToken);
    await this.tokens.save(user, tokens);
    return { user, standings: await this.members.syncOnSignIn(user, tokens.accessToken) };
  }

  private async whoseIs(token: string): Promise<User> {
    try {
      return (await this.github.userAccess.account(token)).value;
    } catch (error) {
      throw this.hostFailure(error);
    }
  }

  private hostFailure(error: unknown): unknown {
    if (!(error instanceof GitHubError)) return error;
    // Nobody can sign in before this is mended, and only the operator can.
    if (error.kind === 'unauthorized')
      this.#logger.error(`The code host does not take the app's credentials: ${String(error)}`);
    return error.isTransient
      ? githubUnavailable(error, {
          nextStep: 'Sign in again at /api/auth/login.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
      : authorizationDenied('', error);
  }
}
