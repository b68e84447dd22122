import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { BranchProtectionDto, ConfigureRulesetsDto } from './rulesets.dto.js';
import { RulesetsService } from './rulesets.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class ProtectionController {
  constructor(private readonly orders: RulesetsService) {}

  @Post(':repoId/configure-rulesets')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('admin')
  @ApiOperation({ summary: "Have a repository's rulesets set up, or mended" })
  @ApiParam({ name: 'repoId', format: 'uuid', description: 'The id of the repository.' })
  @ApiBody({ type: ConfigureRulesetsDto, required: false })
  @ApiAcceptedResponse({
    type: BranchProtectionDto,
    description: 'How it stands now. `repo.updated` tells when it is done, and asking again does no harm.',
  })
  @ErrorResponses({
    404: 'The person may read no such repository.',
    409: 'Its bootstrap pull request is not merged yet, or the app does not reach it.',
    422: 'The app may not administer the repository, and no personal access token was sent that may.',
    503: 'GitHub cannot be asked about the personal access token now.',
  })
  async configure(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repositoryId: string,
    @Body() order?: ConfigureRulesetsDto,
  ): Promise<BranchProtectionDto> {
    const { status, detail } = await this.orders.configure(caller, repositoryId, order?.pat ?? null);
    return { status, detail };
  }
}
