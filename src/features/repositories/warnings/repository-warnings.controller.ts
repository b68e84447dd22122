import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RepositoryWarningListDto } from '../repository-setup.dto.js';
import { RepositoryWarningsService } from './repository-warnings.service.js';

@ApiTags('configuration')
@Controller('api/config')
export class RepositoryWarningsController {
  constructor(private readonly warnings: RepositoryWarningsService) {}

  @Get('repo-warnings')
  @Requires('member')
  @RateLimited('session')
  @ApiOperation({ summary: 'List the problems of the repositories of the workspace' })
  @ApiOkResponse({
    type: RepositoryWarningListDto,
    description: 'The warnings of the repositories that you can read, by name.',
  })
  async listRepositoryWarnings(@CurrentCaller() { viewer }: MemberCaller): Promise<RepositoryWarningListDto> {
    const warnings = await this.warnings.list(viewer);
    return {
      warnings: warnings.map(({ repositoryId, repository, code, detail, since }) => ({
        repoId: repositoryId,
        repo: repository,
        code,
        detail,
        since: since?.toISOString() ?? null,
      })),
    };
  }
}
