import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { BootstrapDto, StartBootstrapDto } from '../repository-setup.dto.js';
import { BootstrapService } from './bootstrap.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class BootstrapController {
  constructor(private readonly bootstraps: BootstrapService) {}

  @Post(':repoId/bootstrap')
  @Requires('admin')
  @ApiOperation({ summary: 'Open the pull request that sets up a repository' })
  @IdParam('repository', 'repoId')
  @ApiBody({ type: StartBootstrapDto, required: false })
  @ApiCreatedResponse({
    type: BootstrapDto,
    description: 'The pull request. After its merge the branches are protected.',
  })
  @ErrorResponses({
    402: "The plan's limit of managed repositories is reached.",
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'The repository is already set up or being set up, or the app is not installed in the organization, or it is suspended.',
    422: 'The app may not write workflow files and no sufficient token was sent (`PAT_REQUIRED`), or GitHub rejects the files, for example because the repository is archived or empty.',
    503: 'GitHub does not answer now. A started bootstrap continues automatically.',
  })
  @ErrorCodes({
    409: ['bootstrap_in_progress', 'app_not_installed'],
    422: ['pat_required', 'pat_rejected', 'files_rejected'],
  })
  async bootstrapRepository(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repoId: string,
    @Body() order?: StartBootstrapDto,
  ): Promise<BootstrapDto> {
    const { state, pull } = await this.bootstraps.start(caller, repoId, order?.pat ?? null);
    return { status: state, prNumber: pull?.number ?? null, prUrl: pull?.url ?? null };
  }
}
