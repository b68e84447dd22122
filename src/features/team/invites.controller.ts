import { Body, Controller, Delete, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller, UserCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { InviteAcceptance, InvitesService } from './invites.service.js';
import { AcceptedInviteDto, CreatedInviteDto, AcceptInviteDto, CreateInviteDto } from './team.dto.js';

@ApiTags('team')
@RateLimited('session')
@Controller('api/team/invites')
export class InvitesController {
  constructor(
    private readonly invites: InvitesService,
    private readonly acceptance: InviteAcceptance,
  ) {}

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Invite somebody who belongs to the organization on GitHub' })
  @ApiCreatedResponse({
    type: CreatedInviteDto,
    description: 'Good once, for 7 days. An earlier one for the same person is withdrawn.',
  })
  @ErrorResponses({
    409: 'The person is a member already, 100 invites wait, or the app is not installed to look the person up.',
    422: 'Nobody has this login.',
  })
  create(@CurrentCaller() caller: MemberCaller, @Body() { login, role }: CreateInviteDto): Promise<CreatedInviteDto> {
    return this.invites.create(caller, { login: login ?? null, role });
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw an invite' })
  @ApiParam({ name: 'id', description: 'The id of the invite.', format: 'uuid' })
  @ApiNoContentResponse({ description: 'Withdrawn: it lets nobody in any more.' })
  @ErrorResponses({ 404: 'The workspace has no such invite that waits.' })
  async revoke(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.invites.revoke(caller, id);
  }

  @Post('accept')
  @HttpCode(HttpStatus.OK)
  @Requires('user')
  @ApiOperation({ summary: 'Accept an invite' })
  @ApiOkResponse({ type: AcceptedInviteDto, description: 'A member now, and in the workspace.' })
  @ErrorResponses({
    403: 'The invite is for somebody else, or the person does not belong to the organization on GitHub.',
    404: 'The service has made no such invite.',
    409: 'The person is a member already, or the app is not installed to look them up.',
    410: 'The invite has expired, or was accepted or withdrawn.',
  })
  async accept(@CurrentCaller() caller: UserCaller, @Body() { token }: AcceptInviteDto): Promise<AcceptedInviteDto> {
    const { org, role } = await this.acceptance.accept(caller, token);
    return { workspace: { org, role } };
  }
}
