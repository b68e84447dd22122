import { Body, Controller, Get, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ManualDeploymentsService } from './deployments/manual-deployments.service.js';
import { HistoryDto, DeploymentRecordDto, HistoryQuery, CreateDeploymentRecordDto } from './history.dto.js';
import { HistoryService } from './history.service.js';

@ApiTags('history')
@RateLimited('session')
@Controller('api/history')
export class HistoryController {
  constructor(
    private readonly history: HistoryService,
    private readonly recording: ManualDeploymentsService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'What was deployed to the targets of the workspace' })
  @ApiOkResponse({ type: HistoryDto, description: 'Of the repositories that the person may read.' })
  async read(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: HistoryQuery,
    @Req() request: FastifyRequest,
  ): Promise<HistoryDto | StreamableFile> {
    const filter = { repository: query.repository ?? null, from: query.from ?? null, to: query.to ?? null };
    const page = toPageRequest(query);
    if (page === null) {
      const { batches, repositories } = await this.history.readAll(viewer, filter);
      return this.lists.respond(request, { name: 'history', batches, besides: { repositories } });
    }
    const { items, total, repositories } = await this.history.readPage(viewer, filter, page);
    return { history: items, repositories, pagination: pageInfo(page, total) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Record a deployment that GitHub did not tell of' })
  @ApiCreatedResponse({ type: DeploymentRecordDto, description: 'The release is shipped.' })
  @ErrorResponses({
    404: 'The person may read no such release.',
    409: 'The release is shipped already, its gate is closed, or it was not open for its candidate when that was deployed.',
    422: 'The environment is not the one that the policy deploys to.',
  })
  async record(
    @CurrentCaller() caller: MemberCaller,
    @Body() { milestoneId, deployedAt, environment, note }: CreateDeploymentRecordDto,
  ): Promise<DeploymentRecordDto> {
    return this.recording.record(caller, {
      milestoneId,
      deployedAt: deployedAt === undefined ? null : new Date(deployedAt),
      environment: environment ?? null,
      note: note ?? null,
    });
  }
}
