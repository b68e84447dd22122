import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { Member } from '../../../auth/caller.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { JsonListStream } from '../../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ReleaseListDto, ReleaseListQuery } from './release-list.dto.js';
import { ReleaseListService } from './release-list.service.js';

const NAME_PATTERN = { type: 'string', maxLength: 100 } as const;

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones')
export class ReleaseListController {
  constructor(
    private readonly releases: ReleaseListService,
    private readonly lists: JsonListStream,
  ) {}

  @Get(':owner/:repo')
  @Requires('member', { personalKey: 'read' })
  @Revalidated()
  @ApiOperation({ summary: 'List the releases of a repository' })
  @ApiParam({
    name: 'owner',
    description: "The organization's login, ignoring case.",
    schema: NAME_PATTERN,
    example: 'acme',
  })
  @ApiParam({
    name: 'repo',
    description: "The repository's name, ignoring case.",
    schema: NAME_PATTERN,
    example: 'payments',
  })
  @ApiOkResponse({
    type: ReleaseListDto,
    description: 'The releases by stored facts, newest version first. Stale facts are refreshed in the background.',
  })
  @ErrorResponses({ 404: 'The workspace has no such repository, or you cannot read it.' })
  async listReleases(
    @CurrentCaller() { viewer }: Member,
    @Param('owner') owner: string,
    @Param('repo') repo: string,
    @Query() query: ReleaseListQuery,
    @Req() request: FastifyRequest,
  ): Promise<ReleaseListDto | StreamableFile> {
    const filter = { repository: `${owner}/${repo}`, search: query.search ?? null };
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, {
        name: 'milestones',
        batches: await this.releases.listAllOfRepository(viewer, filter),
      });
    }
    const { items, total } = await this.releases.listPageOfRepository(viewer, filter, page);
    return { milestones: items, pagination: pageInfo(page, total) };
  }
}
