import { Controller, Get, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
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
  async read(
    @CurrentCaller() { viewer, org }: MemberCaller,
    @Query() query: RepositoryListQuery,
    @Req() request: FastifyRequest,
  ): Promise<RepositoryListDto | StreamableFile> {
    const search = query.search ?? null;
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: null, batches: this.repositories.listAll(viewer, search) });
    }
    const { items, total } = await this.repositories.listPage(viewer, search, page);
    // The workspace is one organization, so there is one group at most.
    const groups = items.length === 0 ? [] : [{ org, repos: items }];
    return { groups, pagination: pageInfo(page, total) };
  }
}
