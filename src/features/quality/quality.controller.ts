import { Controller, Get, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { toQualityFilter, QualityDto, QualityQuery } from './quality.dto.js';
import { QualityService } from './quality.service.js';

@ApiTags('quality')
@RateLimited('session')
@Controller('api/quality')
export class QualityController {
  constructor(
    private readonly quality: QualityService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the quality of the releases of the workspace' })
  @ApiOkResponse({
    type: QualityDto,
    description: 'The releases with evidence, of the repositories that you can read.',
  })
  async listQuality(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: QualityQuery,
    @Req() request: FastifyRequest,
  ): Promise<QualityDto | StreamableFile> {
    const filter = toQualityFilter(query);
    const { results = 'all' } = query;
    const page = toPageRequest(query);
    if (page === null) {
      const { batches, choices } = await this.quality.readAll(viewer, filter, results);
      return this.lists.respond(request, { name: 'results', batches, besides: { choices } });
    }
    const { items, total, choices } = await this.quality.readPage(viewer, filter, page, results);
    return { results: items, choices, pagination: pageInfo(page, total) };
  }
}
