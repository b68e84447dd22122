import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { BootstrapDto, StartBootstrapDto } from './bootstrap.dto.js';
import { BootstrapService } from './bootstrap.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class BootstrapController {
  constructor(private readonly bootstraps: BootstrapService) {}

  @Post(':repoId/bootstrap')
  @Requires('admin')
  @ApiOperation({ summary: 'Open the pull request that sets a repository up' })
  @ApiParam({ name: 'repoId', format: 'uuid', description: 'The id of the repository.' })
  @ApiBody({ type: StartBootstrapDto, required: false })
  @ApiCreatedResponse({ type: BootstrapDto, description: 'The pull request; its merge protects the branches.' })
  @ErrorResponses({
    402: 'The plan has no room for another managed repository.',
    404: 'The person may read no such repository.',
    409: 'The repository is set up already or about to be, or the app is not installed for the organization, or suspended.',
    422: 'The app may not write workflow files and no token that may was given (`PAT_REQUIRED`), or GitHub does not take the files: the repository is archived, say, or empty.',
    503: 'GitHub cannot be asked now. Where something of it may have reached GitHub, the service goes on by itself.',
  })
  async begin(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repoId: string,
    @Body() order?: StartBootstrapDto,
  ): Promise<BootstrapDto> {
    const { state, pull } = await this.bootstraps.start(caller, repoId, order?.pat ?? null);
    return { status: state, prNumber: pull?.number ?? null, prUrl: pull?.url ?? null };
  }
}
