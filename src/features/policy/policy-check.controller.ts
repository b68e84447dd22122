import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CiAuth } from '../../auth/access-rule.js';
import type { CiCaller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/current-caller.decorator.js';
import { Answers } from '../../http/answers.decorator.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import { PolicyCheckDto, PolicyCheckQuery } from './policy-check.dto.js';
import { PolicyChecks } from './policy-check.service.js';

@ApiTags('policy')
@Controller('api/policy')
export class PolicyCheckController {
  constructor(private readonly checks: PolicyChecks) {}

  @Get('check')
  @CiAuth('gate:read')
  @RateLimited('gate')
  @ApiOperation({ summary: 'Whether sdlc.yaml is valid at a commit' })
  @ApiOkResponse({
    type: PolicyCheckDto,
    description:
      'As it would be read if it were the head of the default branch, under the default of the organization.',
  })
  @Answers({
    404: 'The workspace has no such repository, a run asks for another than its own, or a key for one that it does not list.',
    409: 'The app does not reach the repository, or GitHub refuses to show the file.',
    503: 'GitHub cannot be asked now.',
  })
  async check(@CurrentCaller() caller: CiCaller, @Query() { repo, sha }: PolicyCheckQuery): Promise<PolicyCheckDto> {
    const { status, problems } = await this.checks.check(caller, repo, sha ?? null);
    return { status, problems: problems.map((problem) => ({ ...problem })) };
  }
}
