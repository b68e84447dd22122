import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { UnexpectedError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import type { ReviewContext } from './review.js';
import { PendingReviewsDto, PendingReviewsQuery, ReleaseReviewDetailDto } from './reviews.dto.js';
import { ReviewsService, ReleaseReviews } from './reviews.service.js';

const NOT_LOADED = 'The reviews could not be loaded.';

@ApiTags('reviews')
@RateLimited('session')
@Controller('api/reviews')
export class ReviewsController {
  constructor(
    private readonly pending: ReviewsService,
    private readonly reviews: ReleaseReviews,
    private readonly lists: JsonListStream,
  ) {}

  @Get('pending')
  @Requires('member')
  @ApiOperation({ summary: 'The evidence pull requests that wait for approvals' })
  @ApiOkResponse({
    type: PendingReviewsDto,
    description:
      'Of the repositories that the person may read. A page is as stored, and what is too old is read in the background; without `page` and `pageSize` all are listed, by what GitHub says now, whatever the scope.',
  })
  @ErrorResponses({ 500: NOT_LOADED })
  async list(
    @CurrentCaller() caller: MemberCaller,
    @Query() query: PendingReviewsQuery,
    @Req() request: FastifyRequest,
  ): Promise<PendingReviewsDto | StreamableFile> {
    try {
      return await this.load(toReviewContext(caller), query, request);
    } catch (error) {
      throw new UnexpectedError(NOT_LOADED, error);
    }
  }

  @Get('release/:id')
  @Requires('member')
  @ApiOperation({ summary: 'Whether the person may approve the evidence of a release now' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the release.' })
  @ApiOkResponse({
    type: ReleaseReviewDetailDto,
    description: 'By what GitHub says now; what it does not say within 3 seconds is unknown.',
  })
  @ErrorResponses({ 404: 'The person may read no such release.' })
  async read(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<ReleaseReviewDetailDto> {
    return this.reviews.readRelease(toReviewContext(caller), id);
  }

  private async load(
    context: ReviewContext,
    query: PendingReviewsQuery,
    request: FastifyRequest,
  ): Promise<PendingReviewsDto | StreamableFile> {
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: 'reviews', batches: await this.pending.listAll(context) });
    }
    const { total, ...list } = await this.pending.listPage(context, query.scope ?? 'mine', page);
    return { ...list, pagination: pageInfo(page, total) };
  }
}

const toReviewContext = ({ viewer, user }: MemberCaller): ReviewContext => ({
  viewer,
  reviewer: { userId: user.id, login: user.login },
});
