import { Controller, Get, Header, HttpStatus, Inject, Query, Redirect, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { readSessionCookie, setSessionCookie } from '../../../auth/session/session-cookie.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { clearLoginCookie, readLoginCookie, readReturnPath, setLoginCookie } from './login-cookie.js';
import { SessionsService } from './sessions.service.js';
import { LoginQuery } from './sign-in.dto.js';
import { badReturnPath, type OAuthCallback, SignInService } from './sign-in.service.js';

/** What GitHub sends back is opaque, and never long. */
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
  @ApiOperation({ summary: 'Sign in: sends the browser to GitHub' })
  @ApiFoundResponse({
    description: 'To GitHub, for consent. The browser is given a cookie that ties the answer to it.',
  })
  @ErrorResponses({ 503: 'The GitHub App is not set up yet.' })
  async login(@Query() query: LoginQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Redirection> {
    const returnTo = readReturnPath(query.returnTo ?? '/');
    if (returnTo === null) throw badReturnPath();
    const { secret, url } = await this.signIn.start(returnTo);
    setLoginCookie(reply, secret, this.#secure);
    return { url };
  }

  @Get('callback')
  @Public()
  @Header('Cache-Control', 'no-store')
  @Redirect('', HttpStatus.FOUND)
  @ApiOperation({ summary: 'Where GitHub sends the browser back to' })
  @ApiQuery({
    name: 'code',
    required: false,
    schema: TEXT,
    description: 'What GitHub exchanges for the tokens of the person.',
  })
  @ApiQuery({ name: 'state', required: false, schema: TEXT, description: 'What the sign-in was begun with.' })
  @ApiQuery({ name: 'error', required: false, schema: TEXT, description: 'Why GitHub did not let the person sign in.' })
  @ApiFoundResponse({ description: 'Signed in, with a new session: to where the sign-in was begun for.' })
  @ErrorResponses({
    400: 'The sign-in was not begun in this browser, is over, or GitHub did not take its code.',
    403: 'The person, or GitHub, said no.',
    503: 'GitHub cannot be asked now, or the GitHub App is not set up yet.',
  })
  async callback(
    // Not held to a list: the host may add to what it sends back.
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Redirection> {
    const { user, standings, returnTo } = await this.signIn.complete(
      readLoginCookie(request, this.#secure),
      answerOf(query),
    );
    clearLoginCookie(reply, this.#secure);
    const earlier = readSessionCookie(request);
    if (earlier !== null) await this.sessions.end(earlier);
    // A new id at each sign-in: one that somebody planted in the browser before never becomes a session.
    await this.sessions.create(setSessionCookie(reply, this.#secure), user, standings);
    return { url: returnTo };
  }
}

/** A parameter that was sent twice says nothing. */
const answerOf = ({ code, state, error }: Record<string, unknown>): OAuthCallback => ({
  code: textOf(code),
  state: textOf(state),
  error: textOf(error),
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
