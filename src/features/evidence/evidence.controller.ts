import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { evidenceFailures, evidenceItemStatus } from '../../domain/evidence/evidence-status.js';
import { uploadIdFromItemId } from '../../domain/evidence/evidence.js';
import { Revalidated } from '../../http/entity-tags.js';
import { ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { attachment } from '../../http/response-headers.js';
import {
  EvidenceDetailsDto,
  EvidenceListDto,
  EvidenceListQuery,
  toMediaType,
  REPORT_MEDIA_TYPES,
  toEvidenceFilter,
  toReportDto,
} from './evidence.dto.js';
import { EvidenceListService, type ListedItem } from './evidence-list.service.js';
import type { EvidenceDetails } from './evidence.queries.js';
import { EvidenceService } from './evidence.service.js';

type EvidenceItemDto = EvidenceListDto['evidence'][number];

const NO_EVIDENCE = 'You can read no evidence with this id.';

/** In a browser a report has no origin, runs no script and loads nothing. */
const SANDBOX = "sandbox; default-src 'none'";

@ApiTags('evidence')
@RateLimited('session')
@Controller('api')
export class EvidenceController {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly items: EvidenceListService,
    private readonly lists: JsonListStream,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get('milestones/:id/evidence')
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the evidence of a release' })
  @IdParam('release')
  @ApiOkResponse({ type: EvidenceListDto, description: 'The evidence items of all uploads that match the filters.' })
  @ErrorResponses({ 404: 'You can read no release with this id.' })
  async listEvidence(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Query() query: EvidenceListQuery,
    @Req() request: FastifyRequest,
  ): Promise<EvidenceListDto | StreamableFile> {
    const filter = toEvidenceFilter(query);
    const page = toPageRequest(query);
    if (page === null) {
      const batches = toItemBatches(await this.items.listAll(viewer, id, filter));
      return this.lists.respond(request, { name: 'evidence', batches });
    }
    const { items, total } = await this.items.listPage(viewer, id, filter, page);
    return { evidence: items.map(toItemDto), pagination: pageInfo(page, total) };
  }

  @Get('evidence/:id')
  @Requires('member')
  @ApiOperation({ summary: 'Get one upload with its reports and their results' })
  @IdParam('evidence')
  @ApiOkResponse({
    type: EvidenceDetailsDto,
    description: 'The upload. It never changes, except `decides` of its items.',
  })
  @ErrorResponses({ 404: NO_EVIDENCE })
  async getEvidence(@CurrentCaller() { viewer }: MemberCaller, @Param('id') id: string): Promise<EvidenceDetailsDto> {
    const details = await this.evidence.get(viewer, id);
    const deciding = await this.items.listDecidingIds(viewer, details.milestoneId);
    return toDetailsDto(details, deciding, this.environment.baseUrl);
  }

  @Get('evidence/:id/reports/:reportId')
  @Requires('member', { workspaceInQuery: true })
  @ApiOperation({ summary: 'Download a report as it was uploaded' })
  @IdParam('evidence')
  @IdParam('report', 'reportId')
  @ApiProduces(...REPORT_MEDIA_TYPES)
  @ApiOkResponse({
    description: 'The bytes that were uploaded, as an attachment in a sandbox; its type follows the report.',
    schema: { type: 'string', format: 'binary', example: '<testsuite/>' },
  })
  @ErrorResponses({
    404: NO_EVIDENCE,
    429: 'You are downloading the maximum number of reports already.',
    500: 'The stored report does not match its digest and is not returned.',
    503: 'The storage of report files is not available.',
  })
  async downloadReport(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Param('reportId') reportId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { report, beginning, chunks, ended } = await this.evidence.open(viewer, id, reportId);
    reply.header('Content-Security-Policy', SANDBOX);
    const bytes = Readable.from(chunks, { objectMode: false }).once('close', ended);
    return new StreamableFile(bytes, {
      type: toMediaType(report.format, beginning),
      disposition: attachment(report.name),
      length: report.size,
    });
  }
}

const toItemDto = ({ item, runUrl, decides }: ListedItem): EvidenceItemDto => ({
  evidenceId: uploadIdFromItemId(item),
  type: item.kind,
  environment: item.environment,
  pipeline: item.pipeline,
  commitSha: item.commitSha,
  metrics: item.metrics,
  status: evidenceItemStatus(item),
  failures: evidenceFailures(item),
  decides,
  runUrl,
  createdAt: item.receivedAt,
});

async function* toItemBatches(
  batches: AsyncIterable<readonly ListedItem[]>,
): AsyncGenerator<readonly EvidenceItemDto[]> {
  for await (const batch of batches) yield batch.map(toItemDto);
}

const toDetailsDto = (
  details: EvidenceDetails,
  deciding: ReadonlySet<string>,
  baseUrl: string,
): EvidenceDetailsDto => ({
  evidenceId: details.evidenceId,
  milestoneId: details.milestoneId,
  repo: details.repo,
  version: details.version,
  pipeline: details.pipeline,
  environment: details.environment,
  job: details.job,
  jobGroup: details.jobGroup,
  jobTotal: details.jobTotal,
  run: details.run,
  runUrl: details.runUrl,
  commitSha: details.commitSha,
  commitSource: details.commitSource,
  uploadedBy: details.uploadedBy,
  sha256: details.sha256,
  metrics: details.metrics,
  flags: details.flags,
  pieces: details.items.map((item) => toItemDto({ item, runUrl: details.runUrl, decides: deciding.has(item.id) })),
  reports: details.reports.map((report) => ({
    ...toReportDto(report, baseUrl),
    result: toParsedReportDto(report.summary),
  })),
  createdAt: details.receivedAt,
});

const toParsedReportDto = (
  summary: EvidenceDetails['reports'][number]['summary'],
): EvidenceDetailsDto['reports'][number]['result'] =>
  summary && {
    kind: summary.kind,
    metrics: summary.metrics,
    failures: summary.failures,
    notes: summary.notes,
    details: summary.details.map(({ title, location, message }) => ({ title, location, message })),
  };
