import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { JsonListStream } from '../../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RepositoryDto, RepositoryListQuery, RepositoryListDto } from './repositories.dto.js';
import { RepositoriesService } from './repositories.service.js';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class RepositoriesController {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the repositories of the workspace with their setup states' })
  @ApiExtraModels(RepositoryDto, RepositoryListDto)
  @ApiOkResponse({
    description:
      'The repositories that you can read, by name: an array, or a page if the request has `page` or `pageSize`.',
    schema: {
      oneOf: [
        { type: 'array', items: { $ref: getSchemaPath(RepositoryDto) } },
        { $ref: getSchemaPath(RepositoryListDto) },
      ],
    },
  })
  async listRepositories(
    @CurrentCaller() { viewer, org }: MemberCaller,
    @Query() query: RepositoryListQuery,
    @Req() request: FastifyRequest,
  ): Promise<RepositoryListDto | StreamableFile> {
    const filter = {
      search: query.search ?? null,
      setupState: query.setupState ?? null,
      attention: query.attention === 'true',
    };
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: null, batches: this.repositories.listAll(viewer, filter) });
    }
    const { items, total, counts } = await this.repositories.listPage(viewer, filter, page);
    // The workspace is one organization, so there is one group at most.
    const groups = items.length === 0 ? [] : [{ org, repos: items }];
    return { groups, counts, pagination: pageInfo(page, total) };
  }

  @Get(':repoId')
  @Requires('member')
  @ApiOperation({ summary: 'Get a repository with its setup state' })
  @IdParam('repository', 'repoId')
  @ApiOkResponse({ type: RepositoryDto, description: 'The repository as in the list, by stored values.' })
  @ErrorResponses({ 404: 'The workspace has no such repository, or you cannot read it.' })
  async getRepository(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('repoId') repoId: string,
  ): Promise<RepositoryDto> {
    return this.repositories.get(viewer, repoId);
  }
}
