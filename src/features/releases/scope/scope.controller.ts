import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ScopeChoicesService } from './scope-choices.service.js';
import {
  ScopeAssigneesDto,
  ScopeAssigneesQuery,
  ScopeCandidatesDto,
  ScopeCandidatesQuery,
  ScopeChangeRequest,
  ScopeChangeResultDto,
} from './scope.dto.js';
import { ScopeService } from './scope.service.js';

const NO_TRIAGE = 'You cannot triage the repository on GitHub, or GitHub does not accept your sign-in any more.';
const NO_RELEASE = 'The workspace has no such release, or you cannot read it.';
const TRIAGE_CODES = ['triage_required', 'repository_archived', 'github_rejected', 'sign_in_again'] as const;

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones/:id/scope')
export class ScopeController {
  constructor(
    private readonly scope: ScopeService,
    private readonly choices: ScopeChoicesService,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Requires('member')
  @ApiOperation({ summary: 'Link or unlink an issue of a release, or assign or unassign an owner' })
  @IdParam('release')
  @ApiOkResponse({
    type: ScopeChangeResultDto,
    description: 'GitHub has the change, made as the user who requested it or before. A repetition is safe.',
  })
  @ErrorResponses({
    403: NO_TRIAGE,
    404: 'The workspace has no such release, you cannot read it, the repository has no such issue, or the owners of an issue outside of the scope were to change.',
    409: 'The release is shipped, being shipped or cancelled, the app cannot access its repository, or the issue is closed, has another milestone, or is being changed.',
    422: 'GitHub does not allow that user as an assignee.',
    503: 'GitHub does not answer, or the result of the change is unknown.',
  })
  @ErrorCodes({
    403: TRIAGE_CODES,
    404: ['issue_not_found', 'issue_not_in_scope'],
    409: [
      'shipped',
      'being_shipped',
      'cancelled',
      'milestone_outdated',
      'issue_closed',
      'issue_in_other_release',
      'issue_busy',
      'app_not_installed',
    ],
  })
  changeScope(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() change: ScopeChangeRequest,
  ): Promise<ScopeChangeResultDto> {
    return this.scope.change(caller, id, change);
  }

  @Get('candidates')
  @Requires('member')
  @ApiOperation({ summary: 'Find issues that can be linked to a release' })
  @IdParam('release')
  @ApiOkResponse({
    type: ScopeCandidatesDto,
    description:
      'Open issues of the repository without a milestone, read from GitHub as the user. Among the 1,000 newest issues and pull requests without a milestone.',
  })
  @ErrorResponses({
    403: NO_TRIAGE,
    404: NO_RELEASE,
    409: 'The release is shipped or cancelled, or the app cannot access its repository.',
    503: 'GitHub does not answer.',
  })
  @ErrorCodes({ 403: TRIAGE_CODES, 409: ['shipped', 'cancelled', 'app_not_installed'] })
  async listScopeCandidates(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Query() { search }: ScopeCandidatesQuery,
  ): Promise<ScopeCandidatesDto> {
    const issues = await this.choices.listCandidates(caller, id, search ?? null);
    return { issues: issues.map(({ number, title, labels, url }) => ({ number, title, labels, url })) };
  }

  @Get('assignees')
  @Requires('member')
  @ApiOperation({ summary: 'Find users to whom issues of a release can be assigned' })
  @IdParam('release')
  @ApiOkResponse({
    type: ScopeAssigneesDto,
    description: 'Read from GitHub as the user. Among the first 1,000 users whom GitHub lists.',
  })
  @ErrorResponses({
    403: NO_TRIAGE,
    404: NO_RELEASE,
    409: 'The release is shipped, or the app cannot access its repository.',
    503: 'GitHub does not answer.',
  })
  @ErrorCodes({ 403: TRIAGE_CODES, 409: ['shipped', 'app_not_installed'] })
  async listAssignees(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Query() { search }: ScopeAssigneesQuery,
  ): Promise<ScopeAssigneesDto> {
    return { users: await this.choices.listAssignees(caller, id, search ?? null) };
  }
}
