import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { MemberDto, ChangeRoleDto, TeamDto } from './team.dto.js';
import { TeamService, TeamList, type TeamMemberDetails } from './team.service.js';

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
  constructor(
    private readonly teams: TeamList,
    private readonly team: TeamService,
  ) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'Who belongs to the workspace, and who is invited' })
  @ApiOkResponse({ type: TeamDto, description: 'Everybody, with the invites that wait and without their tokens.' })
  async list(@CurrentCaller() caller: MemberCaller): Promise<TeamDto> {
    const { members, invites } = await this.teams.list(caller);
    return { members: members.map(memberOf), invites: [...invites] };
  }

  @Patch('members/:userId')
  @Requires('admin')
  @ApiOperation({ summary: 'Make a member an admin, or an admin a member' })
  @ApiParam(USER_ID)
  @ApiOkResponse({ type: MemberDto, description: 'The member as they are now.' })
  @ErrorResponses({ 404: NO_MEMBER, 409: 'The member is the last admin.' })
  async changeRole(
    @CurrentCaller() caller: MemberCaller,
    @Param('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<MemberDto> {
    return memberOf(await this.team.changeRole(caller, userId, role));
  }

  @Delete('members/:userId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Take somebody out of the workspace, with their personal keys' })
  @ApiParam(USER_ID)
  @ApiNoContentResponse({ description: 'Out, in every session, from the next request on.' })
  @ErrorResponses({ 404: NO_MEMBER, 409: 'The member is the last admin.' })
  async remove(@CurrentCaller() caller: MemberCaller, @Param('userId') userId: string): Promise<void> {
    await this.team.remove(caller, userId);
  }
}

const memberOf = ({ user, role, joinedAt }: TeamMemberDetails): MemberDto => ({
  userId: user.id,
  login: user.login,
  name: user.name,
  avatarUrl: user.avatarUrl,
  role,
  joinedAt,
});
