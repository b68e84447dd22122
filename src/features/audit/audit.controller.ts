import { Controller, Get, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { describeContent } from '../../export/export-response.js';
import { Revalidated } from '../../http/entity-tags.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { AuditExportQuery, AuditHeadDto, AuditLogDto, AuditQuery, toAuditFilter } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@ApiTags('audit')
@Controller('api/audit')
export class AuditController {
  constructor(
    private readonly audit: AuditService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('auditor')
  @Revalidated()
  @RateLimited('session')
  @ApiOperation({ summary: 'List the audit log of the workspace' })
  @ApiOkResponse({ type: AuditLogDto, description: 'The entries, newest first.' })
  async listAuditEntries(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: AuditQuery,
    @Req() request: FastifyRequest,
  ): Promise<AuditLogDto | StreamableFile> {
    const filter = toAuditFilter(query);
    const page = toPageRequest(query);
    const workspace = viewer.orgId;
    if (page === null) {
      return this.lists.respond(request, {
        name: 'entries',
        batches: this.audit.listAll(viewer, filter),
        besides: { workspace },
      });
    }
    const { items, total } = await this.audit.listPage(viewer, filter, page);
    return { workspace, entries: items, pagination: pageInfo(page, total) };
  }

  @Get('head')
  @Requires('auditor')
  @RateLimited('session')
  @ApiOperation({ summary: 'Get the last entry of the hash chain' })
  @ApiOkResponse({ type: AuditHeadDto, description: 'The number and the hash of the last entry.' })
  async getAuditHead(@CurrentCaller() { viewer }: MemberCaller): Promise<AuditHeadDto> {
    return this.audit.getHead(viewer);
  }

  @Get('export')
  @Requires('auditor', { workspaceInQuery: true })
  @RateLimited('session')
  @ApiOperation({ summary: 'Export all matching entries as a file' })
  @ApiOkResponse({
    description:
      'A CSV file with one row per entry, or the list of `/api/audit` as JSON, newest first. A download that ends early is incomplete.',
    content: {
      ...describeContent(['csv']),
      'application/json': { schema: { $ref: getSchemaPath(AuditLogDto) } },
    },
  })
  async exportAuditEntries(
    @CurrentCaller() caller: MemberCaller,
    @Query() query: AuditExportQuery,
    @Req() request: FastifyRequest,
  ): Promise<StreamableFile> {
    return this.audit.export(request, caller, toAuditFilter(query), query.format);
  }
}
