import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
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
  @ApiOperation({ summary: 'Link an issue to a release or unlink it, or change who owns it' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the release.' })
  @ApiOkResponse({
    type: ScopeChangeResultDto,
    description: 'Made on GitHub by the person who asked, or so already: asking again does no harm.',
  })
  @ErrorResponses({
    403: 'GitHub does not let the person triage the repository, or takes their sign-in no more.',
    404: 'The person may read no such release, the repository has no such issue, or its owners are to change and it is not in the scope.',
    409: 'The release is shipped, being shipped, cancelled or not reached by the app; the issue is closed, has another milestone, or is being changed.',
    422: 'GitHub does not make that person an owner of the issue.',
    503: 'GitHub does not answer, or did not say what became of the change.',
  })
  change(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { action, number, assignee }: ScopeChangeRequest,
  ): Promise<ScopeChangeResultDto> {
    return this.scope.change(caller, id, { action, number, assignee: assignee ?? null });
  }
}
