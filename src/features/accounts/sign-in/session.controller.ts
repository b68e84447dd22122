import { Body, Controller, Get, HttpCode, HttpStatus, Inject, Post, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { UserCaller } from '../../../auth/caller.js';
import { setWorkspaceHeader } from '../../../auth/session/named-workspace.js';
import type { SelectedMembership } from '../../../auth/session/sessions.repository.js';
import { clearSessionCookie } from '../../../auth/session/session-cookie.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { ErrorCodes, ErrorResponses } from '../../../http/openapi.decorators.js';
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
  @ApiOperation({ summary: 'Get the signed-in user and the selected workspace' })
  @ApiOkResponse({ type: CurrentUserDto, description: 'The user, and the workspace of the session.' })
  async getCurrentUser(@CurrentCaller() caller: UserCaller): Promise<CurrentUserDto> {
    const workspace = await this.sessions.findWorkspace(caller.session);
    const isFirstSyncPending = workspace === null && (await this.sessions.isFirstSyncPending(caller.user));
    return Object.assign(await this.#describe(caller, workspace), isFirstSyncPending && { reading: true });
  }

  @Get('workspaces')
  @Requires('user')
  @ApiOperation({ summary: 'List the workspaces of the user' })
  @ApiOkResponse({ type: WorkspaceList, description: 'Ordered by name. At most one is selected.' })
  async listWorkspaces(@CurrentCaller() { session, user }: UserCaller): Promise<WorkspaceList> {
    const workspaces = await this.sessions.listWorkspaces(session, user);
    const discovering = workspaces.length === 0 && (await this.sessions.isFirstSyncPending(user));
    return {
      workspaces: workspaces.map(({ org, role, installed, selected }) => ({ org, role, installed, selected })),
      discovering,
      ...(discovering && { reading: true }),
    };
  }

  @Post('workspace')
  @HttpCode(HttpStatus.OK)
  @Requires('user')
  @ApiOperation({ summary: 'Select the workspace of the session' })
  @ApiOkResponse({ type: CurrentUserDto, description: 'The workspace is selected, also for the next sign-in.' })
  @ErrorResponses({ 403: 'The user is not a member of such a workspace, or it does not exist.' })
  @ErrorCodes({ 403: ['not_a_member'] })
  async selectWorkspace(
    @CurrentCaller() caller: UserCaller,
    @Body() { org }: SelectWorkspaceDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CurrentUserDto> {
    const selected = await this.sessions.selectWorkspace(caller.session, caller.user, org);
    setWorkspaceHeader(reply, selected);
    return this.#describe(caller, await this.sessions.findWorkspace(caller.session));
  }

  @Post('logout')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('user')
  @ApiOperation({ summary: 'End the session' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  async signOut(
    @CurrentCaller() { session }: UserCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(session);
    clearSessionCookie(reply, this.#secure);
  }

  async #describe(
    { user: { id, login, name, avatarUrl }, platformAdmin }: UserCaller,
    workspace: SelectedMembership | null,
  ): Promise<CurrentUserDto> {
    return {
      user: { id, login, name, avatarUrl },
      workspace: workspace && {
        org: workspace.org,
        role: workspace.role,
        auditor: workspace.auditor,
        lastEventId: String(await this.sessions.findLastEventId(workspace)),
      },
      platformAdmin,
    };
  }
}
