import { Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ProtectionRuleDto } from '../repository-setup.dto.js';
import { ProtectionRuleService } from './protection-rule.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class ProtectionRuleController {
  constructor(private readonly rules: ProtectionRuleService) {}

  @Get(':repoId/protection-rule')
  @Requires('member')
  @ApiOperation({ summary: 'Read whether GitHub holds the deployments of a repository for the gate' })
  @IdParam('repository', 'repoId')
  @ApiOkResponse({ type: ProtectionRuleDto, description: 'The state of the protection rule at the last check.' })
  @ErrorResponses({ 404: 'The workspace has no such repository, or you cannot read it.' })
  async getProtectionRule(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('repoId') repositoryId: string,
  ): Promise<ProtectionRuleDto> {
    const rule = await this.rules.find(viewer, repositoryId);
    return rule ?? { status: 'unknown', environment: null, adminsMayBypass: null };
  }

  @Post(':repoId/protection-rule')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Let GitHub hold the deployments of a repository until the gate is open' })
  @IdParam('repository', 'repoId')
  @ApiOkResponse({
    type: ProtectionRuleDto,
    description: 'The environment of the policy has the rule. It is created if it is missing. A repetition is safe.',
  })
  @ErrorResponses({
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'The policy is not valid or promotes automatically, the plan of the organization has no such rules, GitHub rejects the rule, or the app cannot access the repository.',
    422: 'The app may not administer the repository or decide about deployments. The message says what to do on GitHub.',
    503: 'GitHub does not answer now.',
  })
  @ErrorCodes({
    409: ['policy_not_valid', 'promotion_automatic', 'rules_not_offered', 'github_rejected', 'app_not_installed'],
    422: ['administration_required', 'deployments_required'],
  })
  async enableProtectionRule(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repositoryId: string,
  ): Promise<ProtectionRuleDto> {
    return this.rules.enable(caller, repositoryId);
  }
}
