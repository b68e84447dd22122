import { Body, Controller, Delete, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller, UserCaller } from '../../auth/caller.js';
import { setWorkspaceHeader } from '../../auth/session/named-workspace.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { InvitesService } from './invites.service.js';
import { InviteAcceptanceService } from './invite-acceptance.service.js';
import { AcceptedInviteDto, CreatedInviteDto, AcceptInviteDto, CreateInviteDto, InvitePreviewDto } from './team.dto.js';

@ApiTags('team')
@RateLimited('session')
@Controller('api/team/invites')
export class InvitesController {
  constructor(
    private readonly invites: InvitesService,
    private readonly acceptance: InviteAcceptanceService,
  ) {}

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Invite a user who belongs to the organization on GitHub' })
  @ApiCreatedResponse({
    type: CreatedInviteDto,
    description: 'An invite for one use within 7 days. An earlier one for the same user is withdrawn.',
  })
  @ErrorResponses({
    409: 'The user is a member already, 100 invites are pending, or the app cannot read the members of the organization.',
    422: 'No user has this login.',
  })
  @ErrorCodes({ 409: ['already_member', 'invite_limit', 'members_unreadable'] })
  createInvite(
    @CurrentCaller() caller: MemberCaller,
    @Body() { login, role, auditor }: CreateInviteDto,
  ): Promise<CreatedInviteDto> {
    return this.invites.create(caller, { login: login ?? null, role, auditor: auditor ?? false });
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw an invite' })
  @IdParam('invite')
  @ApiNoContentResponse({ description: 'The invite is withdrawn.' })
  @ErrorResponses({ 404: 'The workspace has no such pending invite.' })
  async revokeInvite(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.invites.revoke(caller, id);
  }

  @Post('preview')
  @HttpCode(HttpStatus.OK)
  @Requires('user')
  @ApiOperation({ summary: 'Show the workspace of an invite that you can accept' })
  @ApiOkResponse({ type: InvitePreviewDto, description: 'The workspace, and the rights that you would get.' })
  @ErrorResponses({
    403: 'The invite is for another user.',
    404: 'There is no such invite.',
    409: 'You are a member already.',
    410: 'The invite has expired, or was accepted or withdrawn.',
  })
  @ErrorCodes({
    403: ['invite_for_other_user'],
    409: ['already_member'],
    410: ['invite_expired', 'invite_used', 'invite_withdrawn'],
  })
  previewInvite(@CurrentCaller() { user }: UserCaller, @Body() { token }: AcceptInviteDto): Promise<InvitePreviewDto> {
    return this.acceptance.preview(user, token);
  }

  @Post('accept')
  @HttpCode(HttpStatus.OK)
  @Requires('user')
  @ApiOperation({ summary: 'Accept an invite' })
  @ApiOkResponse({
    type: AcceptedInviteDto,
    description: 'The user is a member, and the session works in the workspace.',
  })
  @ErrorResponses({
    403: 'The invite is for another user, or you do not belong to the organization on GitHub.',
    404: 'There is no such invite.',
    409: 'You are a member already, or the app cannot read the members of the organization.',
    410: 'The invite has expired, or was accepted or withdrawn.',
  })
  @ErrorCodes({
    403: ['invite_for_other_user', 'not_in_organization'],
    409: ['already_member', 'members_unreadable'],
    410: ['invite_expired', 'invite_used', 'invite_withdrawn'],
  })
  async acceptInvite(
    @CurrentCaller() caller: UserCaller,
    @Body() { token }: AcceptInviteDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AcceptedInviteDto> {
    const { org, role } = await this.acceptance.accept(caller, token);
    setWorkspaceHeader(reply, { org });
    return { workspace: { org, role } };
  }
}
