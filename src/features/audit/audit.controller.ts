import { Controller, Get, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageInfo, toPageRequest, PageQuery } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { AuditLogDto } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@ApiTags('audit')
@Controller('api/audit')
export class AuditController {
  constructor(
    private readonly audit: AuditService,
    private readonly lists: JsonListStream,
  ) {}

  @Get()
  @Requires('admin')
  @RateLimited('session')
  @ApiOperation({ summary: 'List the audit log of the workspace' })
  @ApiOkResponse({ type: AuditLogDto, description: 'The entries, newest first.' })
  async list(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<AuditLogDto | StreamableFile> {
    const page = toPageRequest(query);
    const workspace = viewer.orgId;
    if (page === null) {
      return this.lists.respond(request, {
        name: 'entries',
        batches: this.audit.listAll(viewer),
        besides: { workspace },
      });
    }
    const { items, total } = await this.audit.listPage(viewer, page);
    return { workspace, entries: items, pagination: pageInfo(page, total) };
  }
}
