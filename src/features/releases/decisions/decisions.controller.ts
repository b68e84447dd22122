import { Controller, Get, Param, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { JsonListStream } from '../../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest, PageQuery } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { DecisionDetailDto, DecisionsDto, ReplayDto } from './decisions.dto.js';
import { DecisionsService } from './decisions.service.js';

const NO_RELEASE = 'The workspace has no such release, or you cannot read it.';
const NO_DECISION = 'The workspace has no such release, you cannot read it, or it has no such decision.';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones/:id/decisions')
export class DecisionsController {
  constructor(
    private readonly decisions: DecisionsService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the decisions of a release' })
  @IdParam('release')
  @ApiOkResponse({
    type: DecisionsDto,
    description: 'The decisions, newest first: each verdict that differs from the one before it.',
  })
  @ErrorResponses({ 404: NO_RELEASE })
  async listDecisions(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<DecisionsDto | StreamableFile> {
    const page = toPageRequest(query);
    if (page === null) {
      return this.lists.respond(request, { name: 'decisions', batches: await this.decisions.listAll(viewer, id) });
    }
    const { items, total } = await this.decisions.listPage(viewer, id, page);
    return { decisions: items, pagination: pageInfo(page, total) };
  }

  @Get(':decisionId')
  @Requires('member')
  @ApiOperation({ summary: 'Get a decision with its inputs' })
  @IdParam('release')
  @IdParam('decision', 'decisionId')
  @ApiOkResponse({ type: DecisionDetailDto, description: 'The decision as it was stored. Decisions never change.' })
  @ErrorResponses({ 404: NO_DECISION })
  async getDecision(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Param('decisionId') decisionId: string,
  ): Promise<DecisionDetailDto> {
    return this.decisions.get(viewer, id, decisionId);
  }

  @Get(':decisionId/replay')
  @Requires('member')
  @ApiOperation({ summary: 'Replay a decision from its stored inputs' })
  @IdParam('release')
  @IdParam('decision', 'decisionId')
  @ApiOkResponse({ type: ReplayDto, description: 'Whether the replay gives the stored verdict. Nothing is changed.' })
  @ErrorResponses({ 404: NO_DECISION })
  async replayDecision(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Param('decisionId') decisionId: string,
  ): Promise<ReplayDto> {
    return this.decisions.replay(viewer, id, decisionId);
  }
}
