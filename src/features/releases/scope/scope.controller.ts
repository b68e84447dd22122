import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ScopeChangeResultDto, ScopeChangeRequest } from './scope.dto.js';
import { ScopeService } from './scope.service.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones/:id/scope')
export class ScopeController {
  constructor(private readonly scope: ScopeService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Requires('member')
  @ApiOperation({ summary: 'Link or unlink an issue of a release, or assign or unassign an owner' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the release.' })
  @ApiOkResponse({
    type: ScopeChangeResultDto,
    description: 'GitHub has the change, made as the user who requested it or before. A repetition is safe.',
  })
  @ErrorResponses({
    403: 'You cannot triage the repository on GitHub, or GitHub does not accept your sign-in any more.',
    404: 'The workspace has no such release, you cannot read it, the repository has no such issue, or the owners of an issue outside of the scope were to change.',
    409: 'The release is shipped, being shipped or cancelled, the app cannot access its repository, or the issue is closed, has another milestone, or is being changed.',
    422: 'GitHub does not allow that user as an assignee.',
    503: 'GitHub does not answer, or the result of the change is unknown.',
  })
  @ErrorCodes({
    403: ['triage_required', 'repository_archived', 'github_rejected', 'sign_in_again'],
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
  change(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { action, number, assignee }: ScopeChangeRequest,
  ): Promise<ScopeChangeResultDto> {
    return this.scope.change(caller, id, { action, number, assignee: assignee ?? null });
  }
}
