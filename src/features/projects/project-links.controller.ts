import { Controller, Put, Param, Body, Delete, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiTags, ApiOperation, ApiBody, ApiOkResponse, ApiNoContentResponse } from '@nestjs/swagger';
import { Requires, CurrentCaller } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { IdParam, ErrorResponses, ErrorCodes } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ProjectsService } from './projects.service.js';
import { LinkRepositoryDto, ProjectDto } from './projects.dto.js';

@ApiTags('projects')
@RateLimited('session')
@Controller('api/projects/:id/repos/:repoId')
export class ProjectLinksController {
  constructor(private readonly projects: ProjectsService) {}

  @Put()
  @Requires('member')
  @ApiOperation({ summary: 'Add a repository to a project, or change its release' })
  @IdParam('project')
  @IdParam('repository', 'repoId')
  @ApiBody({ type: LinkRepositoryDto, required: false })
  @ApiOkResponse({ type: ProjectDto, description: 'The changed project.' })
  @ErrorResponses({
    404: 'There is no such project or repository, you cannot read the repository, or it has no such release.',
    409: 'The project has the maximum number of repositories.',
  })
  @ErrorCodes({ 404: ['release_not_found'], 409: ['repository_limit'] })
  async linkRelease(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') projectId: string,
    @Param('repoId') repositoryId: string,
    @Body() link?: LinkRepositoryDto,
  ): Promise<ProjectDto> {
    return this.projects.link(caller, { projectId, repositoryId, releaseId: link?.milestoneId ?? null });
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('member')
  @ApiOperation({ summary: 'Remove a repository from a project' })
  @IdParam('project')
  @IdParam('repository', 'repoId')
  @ApiNoContentResponse({ description: 'The repository does not belong to the project any more.' })
  @ErrorResponses({ 404: 'There is no such project, or it has no such repository that you can read.' })
  async unlinkRelease(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') projectId: string,
    @Param('repoId') repositoryId: string,
  ): Promise<void> {
    await this.projects.unlink(caller, projectId, repositoryId);
  }
}
