import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags, ApiOperation, ApiOkResponse } from '@nestjs/swagger';
import { CiAuth, CurrentCaller } from '../../auth/access.decorators.js';
import type { CiCaller } from '../../auth/caller.js';
import { ErrorResponses, ErrorCodes } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { PolicyCheckDto, PolicyCheckQuery } from './policy-check.dto.js';
import { PolicyCheckService } from './policy-check.service.js';

@ApiTags('policy')
@Controller('api/policy')
export class PolicyCheckController {
  constructor(private readonly checks: PolicyCheckService) {}

  @Get('check')
  @CiAuth('gate:read')
  @RateLimited('gate')
  @ApiOperation({ summary: 'Check sdlc.yaml at a commit' })
  @ApiOkResponse({
    type: PolicyCheckDto,
    description: 'The result as if the commit were the head of the default branch, with the organization default.',
  })
  @ErrorResponses({
    404: 'The repository does not exist, is not that of the run, or is not one of the API key.',
    409: 'The app has no access to the repository, or GitHub does not return the file.',
    503: 'GitHub is not available.',
  })
  @ErrorCodes({ 409: ['app_not_installed', 'github_rejected'] })
  async checkPolicy(
    @CurrentCaller() caller: CiCaller,
    @Query() { repo, sha }: PolicyCheckQuery,
  ): Promise<PolicyCheckDto> {
    return this.checks.check(caller, repo, sha ?? null);
  }
}
