import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { UnexpectedError } from '../../http/errors/domain-error.js';
import { ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import type { ReviewContext } from './review.js';
import { PendingReviewsDto, PendingReviewsQuery, ReleaseReviewDetailDto, toReviewSelection } from './reviews.dto.js';
import { ReviewBriefDto } from './review-brief.dto.js';
import { ReviewBriefService } from './review-brief.service.js';
import { ReviewsService } from './reviews.service.js';

const NOT_LOADED = 'The reviews could not be loaded.';

@ApiTags('reviews')
@RateLimited('session')
@Controller('api/reviews')
export class ReviewsController {
  constructor(
    private readonly reviews: ReviewsService,
    private readonly briefs: ReviewBriefService,
    private readonly lists: JsonListStream,
  ) {}

  @Get('pending')
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the evidence pull requests that wait for approvals' })
  @ApiOkResponse({
    type: PendingReviewsDto,
    description:
      'The pending reviews of the repositories that you can read, last changed first. A page uses stored facts, and stale ones are refreshed in the background. Without `page` and `pageSize` all are listed regardless of the scope, by facts that are read from GitHub now.',
  })
  @ErrorResponses({ 500: NOT_LOADED })
  async listPendingReviews(
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
  @ApiOperation({ summary: 'Get whether you may approve the evidence of a release' })
  @IdParam('release')
  @ApiOkResponse({
    type: ReleaseReviewDetailDto,
    description:
      'The review by facts that are read from GitHub now. A fact that is not returned within 3 seconds is unknown.',
  })
  @ErrorResponses({ 404: 'The workspace has no such release, or you cannot read it.' })
  async getReview(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<ReleaseReviewDetailDto> {
    return this.reviews.readRelease(toReviewContext(caller), id);
  }

  @Get('release/:id/brief')
  @Requires('member')
  @ApiOperation({ summary: 'Get what changed in a release since the last shipped one' })
  @IdParam('release')
  @ApiOkResponse({
    type: ReviewBriefDto,
    description:
      'What a reviewer needs: changes, tests, scores, new findings, overrides and the own last review. It uses stored facts only, without a call to GitHub.',
  })
  @ErrorResponses({ 404: 'The workspace has no such release, or you cannot read it.' })
  async getReviewBrief(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<ReviewBriefDto> {
    return this.briefs.read(caller, id);
  }

  private async load(
    context: ReviewContext,
    query: PendingReviewsQuery,
    request: FastifyRequest,
  ): Promise<PendingReviewsDto | StreamableFile> {
    const selection = toReviewSelection(query);
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: 'reviews', batches: await this.reviews.listAll(context, selection) });
    }
    const { total, ...list } = await this.reviews.listPage(context, selection, page);
    return { ...list, pagination: pageInfo(page, total) };
  }
}

const toReviewContext = ({ viewer, user }: MemberCaller): ReviewContext => ({
  viewer,
  reviewer: { userId: user.id, login: user.login },
});
