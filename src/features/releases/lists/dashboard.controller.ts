import { Controller, Get, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { Member } from '../../../auth/caller.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { JsonListStream } from '../../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { DashboardDto, DashboardQuery, outcomeIn } from './release-list.dto.js';
import { ReleaseListService } from './release-list.service.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/dashboard')
export class DashboardController {
  constructor(
    private readonly releaseList: ReleaseListService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member', { personalKey: 'read' })
  @Revalidated()
  @ApiOperation({ summary: 'List the active releases of the workspace' })
  @ApiOkResponse({
    type: DashboardDto,
    description:
      'The active releases of the repositories that you can read, by stored facts. Stale facts are refreshed in the background.',
  })
  async listActiveReleases(
    @CurrentCaller() { viewer }: Member,
    @Query() query: DashboardQuery,
    @Req() request: FastifyRequest,
  ): Promise<DashboardDto | StreamableFile> {
    const outcome = outcomeIn(query);
    const filter = { search: query.search ?? null, outcome, order: query.sort ?? 'updated' };
    const page = toPageRequest(query);
    if (page === null) {
      const { batches, counts } = await this.releaseList.listAll(viewer, filter);
      return this.lists.respond(request, { name: 'releases', batches, besides: { counts } });
    }
    const { releases, counts } = await this.releaseList.listPage(viewer, filter, page);
    return { releases, counts, pagination: pageInfo(page, counts[outcome ?? 'all']) };
  }
}
