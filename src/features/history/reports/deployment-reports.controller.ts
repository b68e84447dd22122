import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth, CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { CiCaller, MemberCaller } from '../../../auth/caller.js';
import { repositoryRateLimitKey } from '../../../auth/rate-limit-key.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorCodes, ErrorResponses } from '../../../http/openapi.decorators.js';
import { FIRST_PAGE, pageInfo, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RateLimitService } from '../../../http/rate-limit/rate-limit.service.js';
import {
  DeploymentReceiptDto,
  ReportDeploymentDto,
  ReportedDeploymentsDto,
  ReportedDeploymentsQuery,
  toReportedDeploymentsFilter,
  toReportedGate,
} from './deployment-report.dto.js';
import { DeploymentReportsMetrics } from './deployment-reports.metrics.js';
import type { DeploymentReport } from './deployment-report-target.service.js';
import { type CountReport, DeploymentReportsService, type ReportAnswer } from './deployment-reports.service.js';
import { ReportedDeploymentsService } from './reported-deployments.service.js';

@ApiTags('history')
@Controller('api/deployments')
export class DeploymentReportsController {
  constructor(
    private readonly reports: DeploymentReportsService,
    private readonly list: ReportedDeploymentsService,
    private readonly limits: RateLimitService,
    private readonly metrics: DeploymentReportsMetrics,
  ) {}

  @Post()
  @CiAuth('deployment:write')
  @RateLimited('upload')
  @ApiOperation({ summary: 'Report the start or the end of a deployment' })
  @ApiCreatedResponse({ type: DeploymentReceiptDto, description: 'The report is stored, or it was stored before.' })
  @ErrorResponses({
    403: 'The run may not report: by its event, its environment, or its commit.',
    404: 'The repository does not exist, the credential cannot report for it, or the version or the digest is unknown.',
    409: 'The report names several commits, or another commit or another end than the reports before it.',
    422: 'The named release has no candidate.',
    429: 'The identity token was used for the maximum of 50 reports.',
  })
  @ErrorCodes({ 409: ['commits_disagree', 'other_commit', 'deployment_ended'] })
  async reportDeployment(
    @CurrentCaller() caller: CiCaller,
    @Body() body: ReportDeploymentDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeploymentReceiptDto> {
    // The guard has already counted the requests of CI runs.
    const count: CountReport = async (repository) => {
      if (caller.kind !== 'api_key') return;
      await this.limits.consume('upload', repositoryRateLimitKey(caller.orgId, repository), reply);
    };
    const report = toReport(body);
    return toReceipt(await this.metrics.observe(report.status, () => this.reports.report(caller, report, count)));
  }

  @Get()
  @Requires('member')
  @RateLimited('session')
  @Revalidated()
  @ApiOperation({ summary: 'List the deployments that CI systems reported' })
  @ApiOkResponse({
    type: ReportedDeploymentsDto,
    description: 'A page of the deployments of the repositories that you can read, to every environment.',
  })
  async listReportedDeployments(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: ReportedDeploymentsQuery,
  ): Promise<ReportedDeploymentsDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.list.readPage(viewer, toReportedDeploymentsFilter(query), page);
    return { deployments: items, pagination: pageInfo(page, total) };
  }
}

const toReport = (body: ReportDeploymentDto): DeploymentReport => ({
  repo: body.repo,
  environment: body.environment,
  reportedId: body.deployment,
  status: body.status,
  commitSha: body.commit_sha ?? null,
  version: body.version ?? null,
  digest: body.digest ?? null,
  runUrl: body.run_url ?? null,
  // Null counts as absent, as in every optional field of CI.
  statedAt: typeof body.at === 'string' ? new Date(body.at) : null,
});

const toReceipt = ({ deploymentId, kind, releaseId, decisionId, ...answer }: ReportAnswer): DeploymentReceiptDto => ({
  deploymentId,
  kind,
  ...(releaseId !== null && { releaseId }),
  ...(decisionId !== null && { decisionId }),
  gate: toReportedGate(answer),
});
