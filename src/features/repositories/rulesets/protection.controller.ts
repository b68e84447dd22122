import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { BranchProtectionDto, ConfigureRulesetsDto } from '../repository-setup.dto.js';
import { RulesetsService } from './rulesets.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class ProtectionController {
  constructor(private readonly rulesets: RulesetsService) {}

  @Post(':repoId/configure-rulesets')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('admin')
  @ApiOperation({ summary: "Configure or repair a repository's rulesets" })
  @IdParam('repository', 'repoId')
  @ApiBody({ type: ConfigureRulesetsDto, required: false })
  @ApiAcceptedResponse({
    type: BranchProtectionDto,
    description: 'The current state. The event `repo.updated` announces the result. A repetition is safe.',
  })
  @ErrorResponses({
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'The bootstrap pull request is not merged, or the app cannot access the repository.',
    422: 'The app may not administer the repository, and no sufficient personal access token was sent.',
    503: 'GitHub does not answer now, so the personal access token cannot be checked.',
  })
  @ErrorCodes({ 409: ['bootstrap_not_merged', 'app_not_installed'], 422: ['pat_required', 'pat_rejected'] })
  async configureRulesets(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repositoryId: string,
    @Body() order?: ConfigureRulesetsDto,
  ): Promise<BranchProtectionDto> {
    const { status, detail } = await this.rulesets.configure(caller, repositoryId, order?.pat ?? null);
    return { status, detail };
  }
}
