import { Body, Controller, Get, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { describeContent, ExportResponse } from '../../export/export-response.js';
import { Revalidated } from '../../http/entity-tags.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ManualDeploymentsService } from './deployments/manual-deployments.service.js';
import {
  CreateDeploymentRecordDto,
  DeploymentRecordDto,
  HISTORY_EXPORT_FORMATS,
  HistoryDto,
  HistoryExportQuery,
  HistoryQuery,
  toHistoryFilter,
} from './history.dto.js';
import { HistoryExportService } from './history-export.service.js';
import { HistoryService } from './history.service.js';

@ApiTags('history')
@RateLimited('session')
@Controller('api/history')
export class HistoryController {
  constructor(
    private readonly history: HistoryService,
    private readonly manualDeployments: ManualDeploymentsService,
    private readonly lists: JsonListStream,
    private readonly exports: HistoryExportService,
    private readonly files: ExportResponse,
  ) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the deployments of the workspace' })
  @ApiOkResponse({ type: HistoryDto, description: 'The deployments of the repositories that you can read.' })
  async listHistory(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: HistoryQuery,
    @Req() request: FastifyRequest,
  ): Promise<HistoryDto | StreamableFile> {
    const filter = toHistoryFilter(query);
    const page = toPageRequest(query);
    if (page === null) {
      const { batches, ...besides } = await this.history.readAll(viewer, filter);
      return this.lists.respond(request, { name: 'history', batches, besides });
    }
    const { items, total, ...choices } = await this.history.readPage(viewer, filter, page);
    return { history: items, ...choices, pagination: pageInfo(page, total) };
  }

  @Get('export')
  @Requires('member', { workspaceInQuery: true })
  @ApiOperation({ summary: 'Export all matching deployments as a file' })
  @ApiOkResponse({
    description:
      'A CSV file or a workbook with one row per deployment of the repositories that the user can read, in the order of `/api/history`. A download that ends early is incomplete.',
    content: describeContent(HISTORY_EXPORT_FORMATS),
  })
  async exportHistory(
    @CurrentCaller() caller: MemberCaller,
    @Query() query: HistoryExportQuery,
    @Req() request: FastifyRequest,
  ): Promise<StreamableFile> {
    return this.files.send(request, await this.exports.file(caller, toHistoryFilter(query), query.format));
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Record a deployment that GitHub did not report' })
  @ApiCreatedResponse({ type: DeploymentRecordDto, description: 'The release is shipped.' })
  @ErrorResponses({
    404: 'The workspace has no such release, or you cannot read it.',
    409: 'The release is already shipped, its gate is closed, or the gate was not open for the candidate at the time of the deployment.',
    422: 'The environment is not the deployment target of the policy.',
  })
  @ErrorCodes({
    409: ['shipped', 'gate_closed', 'gate_was_closed', 'freeze_was_active', 'reported_by_github', 'other_candidate'],
  })
  async recordDeployment(
    @CurrentCaller() caller: MemberCaller,
    @Body() { milestoneId, deployedAt, environment, note }: CreateDeploymentRecordDto,
  ): Promise<DeploymentRecordDto> {
    return this.manualDeployments.record(caller, {
      milestoneId,
      deployedAt: deployedAt === undefined ? null : new Date(deployedAt),
      environment: environment ?? null,
      note: note ?? null,
    });
  }
}
