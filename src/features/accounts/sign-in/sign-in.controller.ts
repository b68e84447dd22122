import { Controller, Get, Header, HttpStatus, Inject, Query, Redirect, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { readSessionCookie, setSessionCookie } from '../../../auth/session/session-cookie.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { RedirectErrorsTo } from '../../../http/errors/error.filter.js';
import { ErrorCodes, ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { invalidReturnPath } from '../accounts.errors.js';
import { clearLoginCookie, readLoginCookie, readReturnPath, setLoginCookie } from './login-cookie.js';
import { SessionsService } from './sessions.service.js';
import { LoginQuery } from './sign-in.dto.js';
import { type OAuthCallback, SignInService } from './sign-in.service.js';

/** The parameters of GitHub are opaque and short. */
const TEXT = { type: 'string', maxLength: 2000 } as const;

interface Redirection {
  readonly url: string;
}

@ApiTags('sign-in')
@RateLimited('auth')
@Controller('api/auth')
export class SignInController {
  readonly #secure: boolean;

  constructor(
    private readonly signIn: SignInService,
    private readonly sessions: SessionsService,
    @Inject(ENVIRONMENT) { baseUrl }: Environment,
  ) {
    this.#secure = baseUrl.startsWith('https:');
  }

  @Get('login')
  @Public()
  @Header('Cache-Control', 'no-store')
  @Redirect('', HttpStatus.FOUND)
  @ApiOperation({ summary: 'Start a sign-in: redirect the browser to GitHub' })
  @ApiFoundResponse({
    description: 'To GitHub, which asks for authorization. A cookie binds the sign-in to this browser.',
  })
  @ErrorResponses({ 503: 'The GitHub App is not set up yet.' })
  @ErrorCodes({ 503: ['not_configured'] })
  async startSignIn(@Query() query: LoginQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Redirection> {
    const returnTo = readReturnPath(query.returnTo ?? '/');
    if (returnTo === null) throw invalidReturnPath();
    const { secret, url } = await this.signIn.start(returnTo);
    setLoginCookie(reply, secret, this.#secure);
    return { url };
  }

  @Get('callback')
  @Public()
  @RedirectErrorsTo('/sign-in')
  @Header('Cache-Control', 'no-store')
  @Redirect('', HttpStatus.FOUND)
  @ApiOperation({ summary: 'Complete a sign-in: GitHub redirects the browser to this path' })
  @ApiQuery({
    name: 'code',
    required: false,
    schema: TEXT,
    description: 'The code that the service exchanges for tokens of the user.',
  })
  @ApiQuery({ name: 'state', required: false, schema: TEXT, description: 'The state of the started sign-in.' })
  @ApiQuery({
    name: 'error',
    required: false,
    schema: TEXT,
    description: 'The reason if GitHub did not authorize the sign-in.',
  })
  @ApiFoundResponse({
    description:
      'To the return path of the sign-in. The browser has a new session. A browser is also redirected after an error, to `/sign-in?notice=` with the error code.',
  })
  @ErrorResponses({
    400: 'The sign-in was not started in this browser, is over, or GitHub rejects its code.',
    403: 'The user or GitHub denied the authorization.',
    503: 'GitHub does not answer, or the GitHub App is not set up yet.',
  })
  @ErrorCodes({
    400: ['expired', 'code_rejected'],
    403: ['denied', 'github_rejected'],
    503: ['github_unavailable', 'not_configured'],
  })
  async completeSignIn(
    // Not validated against a list, because GitHub may add parameters.
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Redirection> {
    const { user, memberships, returnTo } = await this.signIn.complete(
      readLoginCookie(request, this.#secure),
      toOAuthCallback(query),
    );
    clearLoginCookie(reply, this.#secure);
    const previous = readSessionCookie(request);
    if (previous !== null) await this.sessions.end(previous);
    // A new id at each sign-in, so that an id that an attacker set before never becomes a session.
    await this.sessions.create(setSessionCookie(reply, this.#secure), user, memberships);
    return { url: returnTo };
  }
}

/** Ignores a parameter that was sent twice. */
const toOAuthCallback = ({ code, state, error }: Record<string, unknown>): OAuthCallback => ({
  code: toText(code),
  state: toText(state),
  error: toText(error),
});

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
