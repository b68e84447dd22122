import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { MemberDto, ChangeRoleDto, TeamDto } from './team.dto.js';
import { TeamService } from './team.service.js';

const USER_ID = {
  name: 'userId',
  description: "The member's numeric id on GitHub.",
  schema: { type: 'string', maxLength: 20 },
  example: '583231',
} as const;
const NO_MEMBER = 'The workspace has no such member.';

@ApiTags('team')
@RateLimited('session')
@Controller('api/team')
export class TeamController {
  constructor(private readonly team: TeamService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the members and the pending invites of the workspace' })
  @ApiOkResponse({ type: TeamDto, description: 'The members, and the invites without their tokens.' })
  async listMembers(@CurrentCaller() caller: MemberCaller): Promise<TeamDto> {
    return this.team.list(caller);
  }

  @Patch('members/:userId')
  @Requires('admin')
  @ApiOperation({ summary: 'Change the role of a member' })
  @ApiParam(USER_ID)
  @ApiOkResponse({ type: MemberDto, description: 'The changed member.' })
  @ErrorResponses({ 404: NO_MEMBER, 409: 'The member is the last admin.' })
  @ErrorCodes({ 409: ['last_admin'] })
  async changeMemberRole(
    @CurrentCaller() caller: MemberCaller,
    @Param('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<MemberDto> {
    return this.team.changeRole(caller, userId, role);
  }

  @Put('members/:userId/auditor')
  @Requires('admin')
  @ApiOperation({ summary: 'Let a member read the audit log without the role of an admin' })
  @ApiParam(USER_ID)
  @ApiOkResponse({ type: MemberDto, description: 'The member is an auditor, from their next request on.' })
  @ErrorResponses({ 404: NO_MEMBER })
  async grantAuditor(@CurrentCaller() caller: MemberCaller, @Param('userId') userId: string): Promise<MemberDto> {
    return this.team.setAuditor(caller, userId, true);
  }

  @Delete('members/:userId/auditor')
  @Requires('admin')
  @ApiOperation({ summary: 'End the right of a member to read the audit log without the role of an admin' })
  @ApiParam(USER_ID)
  @ApiOkResponse({ type: MemberDto, description: 'From the next request on, the member is not an auditor.' })
  @ErrorResponses({ 404: NO_MEMBER })
  async revokeAuditor(@CurrentCaller() caller: MemberCaller, @Param('userId') userId: string): Promise<MemberDto> {
    return this.team.setAuditor(caller, userId, false);
  }

  @Delete('members/:userId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Remove a member from the workspace, with their personal keys' })
  @ApiParam(USER_ID)
  @ApiNoContentResponse({ description: 'The member is removed, in every session from its next request on.' })
  @ErrorResponses({ 404: NO_MEMBER, 409: 'The member is the last admin.' })
  @ErrorCodes({ 409: ['last_admin'] })
  async removeMember(@CurrentCaller() caller: MemberCaller, @Param('userId') userId: string): Promise<void> {
    await this.team.remove(caller, userId);
  }
}
