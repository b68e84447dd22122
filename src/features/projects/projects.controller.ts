import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Query,
  Req,
  type StreamableFile,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { UpdateProjectDto, ProjectDto, ProjectListQuery, CreateProjectDto, ProjectsDto } from './projects.dto.js';
import { ProjectsService } from './projects.service.js';
import { ProjectViewService } from './project-view.service.js';

const NO_PROJECT = 'The workspace has no such project.';

@ApiTags('projects')
@RateLimited('session')
@Controller('api/projects')
export class ProjectsController {
  constructor(
    private readonly list: ProjectViewService,
    private readonly projects: ProjectsService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the projects of the workspace' })
  @ApiOkResponse({
    type: ProjectsDto,
    description:
      'The projects with the repositories that you can read, by stored facts. Stale facts are refreshed in the background.',
  })
  async listProjects(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: ProjectListQuery,
    @Req() request: FastifyRequest,
  ): Promise<ProjectsDto | StreamableFile> {
    const filter = { org: query.org ?? null, search: query.search ?? null };
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: 'projects', batches: this.list.readAll(viewer, filter) });
    }
    const { items, total } = await this.list.readPage(viewer, filter, page);
    return { projects: items, pagination: pageInfo(page, total) };
  }

  @Post()
  @Requires('member')
  @ApiOperation({ summary: 'Create a project' })
  @ApiCreatedResponse({ type: ProjectDto, description: 'The project, without repositories.' })
  @ErrorResponses({ 409: 'Another project has the name, or the workspace has the maximum number of projects.' })
  @ErrorCodes({ 409: ['name_taken', 'project_limit'] })
  async createProject(@CurrentCaller() caller: MemberCaller, @Body() details: CreateProjectDto): Promise<ProjectDto> {
    const { name, description = null, targetDate = null } = details;
    return this.projects.create(caller, { name, description, targetDate });
  }

  @Get(':id')
  @Requires('member')
  @ApiOperation({ summary: 'Get one project with its repositories and their releases' })
  @IdParam('project')
  @ApiOkResponse({ type: ProjectDto, description: 'The project.' })
  @ErrorResponses({ 404: NO_PROJECT })
  async getProject(@CurrentCaller() { viewer }: MemberCaller, @Param('id') id: string): Promise<ProjectDto> {
    return this.list.get(viewer, id);
  }

  @Patch(':id')
  @Requires('member')
  @ApiOperation({ summary: 'Change the details of a project' })
  @IdParam('project')
  @ApiOkResponse({ type: ProjectDto, description: 'The changed project.' })
  @ErrorResponses({ 404: NO_PROJECT, 409: 'Another project has the name.' })
  @ErrorCodes({ 409: ['name_taken'] })
  async updateProject(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() change: UpdateProjectDto,
  ): Promise<ProjectDto> {
    return this.projects.change(caller, id, change);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('member')
  @ApiOperation({ summary: 'Delete a project' })
  @IdParam('project')
  @ApiNoContentResponse({ description: 'The project is deleted. Its repositories and their releases do not change.' })
  @ErrorResponses({ 403: 'The project has a repository that you cannot read.', 404: NO_PROJECT })
  @ErrorCodes({ 403: ['hidden_repositories'] })
  async deleteProject(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.projects.remove(caller, id);
  }
}
