import { Controller, Get, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { describeContent, ExportResponse } from '../../../export/export-response.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { toQualityFilter } from '../quality.dto.js';
import { EXPORT_FORMATS, QualityExportQuery } from './quality-export.dto.js';
import { QualityExportService } from './quality-export.service.js';

@ApiTags('quality')
@RateLimited('session')
@Controller('api/quality/export')
export class QualityExportController {
  constructor(
    private readonly exports: QualityExportService,
    private readonly answers: ExportResponse,
  ) {}

  @Get()
  @Requires('member', { workspaceInQuery: true })
  @ApiOperation({ summary: 'Export the quality of all matching releases as a file' })
  @ApiOkResponse({
    description:
      'A CSV file with one row per result, an HTML report without external resources, or a workbook. It contains the repositories that the user can read, in the order of `/api/quality`. A download that ends early is incomplete.',
    content: describeContent(EXPORT_FORMATS),
  })
  async exportQuality(
    @CurrentCaller() caller: MemberCaller,
    @Query() query: QualityExportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const file = this.exports.file(caller, toQualityFilter(query), query.format);
    const begun = await this.answers.send(request, file);
    if (file.securityPolicy !== null) reply.header('Content-Security-Policy', file.securityPolicy);
    return begun;
  }
}
