import { Body, Controller, Delete, HttpCode, HttpStatus, Param, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../auth/access-rule.js';
import type { MemberCaller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/current-caller.decorator.js';
import { Answers } from '../../http/answers.decorator.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import { ProjectLinks } from './project-links.service.js';
import { ProjectDto, ProjectLinkOrder } from './project.dto.js';

const PROJECT = { name: 'id', format: 'uuid', description: 'The id of the project.' };
const REPOSITORY = { name: 'repoId', format: 'uuid', description: 'The id of the repository.' };

@ApiTags('projects')
@RateLimited('session')
@Controller('api/projects/:id/repos/:repoId')
export class ProjectLinksController {
  constructor(private readonly links: ProjectLinks) {}

  @Put()
  @Requires('member')
  @ApiOperation({ summary: 'Put a repository into a project, or name another release of it' })
  @ApiParam(PROJECT)
  @ApiParam(REPOSITORY)
  @ApiBody({ type: ProjectLinkOrder, required: false })
  @ApiOkResponse({ type: ProjectDto, description: 'The project as it is now.' })
  @Answers({
    404: 'There is no such project, or the person may read no such repository, or it has no such release.',
    409: 'The project has as many repositories as it may.',
  })
  async link(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') projectId: string,
    @Param('repoId') repositoryId: string,
    @Body() order?: ProjectLinkOrder,
  ): Promise<ProjectDto> {
    return this.links.link(caller, { projectId, repositoryId, releaseId: order?.milestoneId ?? null });
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('member')
  @ApiOperation({ summary: 'Take a repository out of a project' })
  @ApiParam(PROJECT)
  @ApiParam(REPOSITORY)
  @ApiNoContentResponse({ description: 'The project has it no more; nothing else became of it.' })
  @Answers({ 404: 'There is no such project, or it has no such repository that the person may read.' })
  async unlink(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') projectId: string,
    @Param('repoId') repositoryId: string,
  ): Promise<void> {
    await this.links.unlink(caller, projectId, repositoryId);
  }
}
