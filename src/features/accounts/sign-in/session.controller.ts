import { Body, Controller, Get, HttpCode, HttpStatus, Inject, Post, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { UserCaller } from '../../../auth/caller.js';
import { clearSessionCookie } from '../../../auth/session/session-cookie.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { SessionsService } from './sessions.service.js';
import { CurrentUserDto, WorkspaceList, SelectWorkspaceDto } from './sign-in.dto.js';

@ApiTags('sign-in')
@RateLimited('session')
@Controller('api/auth')
export class SessionController {
  readonly #secure: boolean;

  constructor(
    private readonly sessions: SessionsService,
    @Inject(ENVIRONMENT) { baseUrl }: Environment,
  ) {
    this.#secure = baseUrl.startsWith('https:');
  }

  @Get('me')
  @Requires('user')
  @ApiOperation({ summary: 'Who is signed in, and in which workspace' })
  @ApiOkResponse({ type: CurrentUserDto, description: 'The person, and the workspace that their session works in.' })
  async me(@CurrentCaller() caller: UserCaller): Promise<CurrentUserDto> {
    const workspace = await this.sessions.findWorkspace(caller.session);
    const isReading = workspace === null && (await this.sessions.isReadingFor(caller.user));
    return Object.assign(meOf(caller, workspace), isReading && { reading: true });
  }

  @Get('workspaces')
  @Requires('user')
  @ApiOperation({ summary: 'The workspaces that the person is a member of' })
  @ApiOkResponse({ type: WorkspaceList, description: 'By name; of several that are listed one at most is selected.' })
  async workspaces(@CurrentCaller() { session, user }: UserCaller): Promise<WorkspaceList> {
    const workspaces = await this.sessions.listWorkspaces(session, user);
    const isReading = workspaces.length === 0 && (await this.sessions.isReadingFor(user));
    return {
      workspaces: workspaces.map(({ org, role, installed, selected }) => ({ org, role, installed, selected })),
      ...(isReading && { reading: true }),
    };
  }

  @Post('workspace')
  @HttpCode(HttpStatus.OK)
  @Requires('user')
  @ApiOperation({ summary: 'Select the workspace that the session works in' })
  @ApiOkResponse({ type: CurrentUserDto, description: 'Selected, here and for the next sign-in.' })
  @ErrorResponses({ 403: 'The person is not a member of such a workspace, whether there is one or not.' })
  async workspace(@CurrentCaller() caller: UserCaller, @Body() { org }: SelectWorkspaceDto): Promise<CurrentUserDto> {
    return meOf(caller, await this.sessions.selectWorkspace(caller.session, caller.user, org));
  }

  @Post('logout')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('user')
  @ApiOperation({ summary: 'Sign out: ends the session' })
  @ApiNoContentResponse({ description: 'The session has ended, for every request from now on.' })
  async logout(
    @CurrentCaller() { session }: UserCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(session);
    clearSessionCookie(reply, this.#secure);
  }
}

const meOf = (
  { user: { id, login, name, avatarUrl }, platformAdmin }: UserCaller,
  workspace: { readonly org: string; readonly role: string } | null,
): CurrentUserDto => ({
  user: { id, login, name, avatarUrl },
  workspace: workspace && { org: workspace.org, role: workspace.role },
  platformAdmin,
});
