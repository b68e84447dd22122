import { Controller, Get, Param, Req, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { AuditPackService } from './audit-pack.service.js';

const ZIP = 'application/zip';

@ApiTags('audit')
@RateLimited('session')
@Controller('api/milestones/:id/audit-pack')
export class AuditPacksController {
  constructor(private readonly packs: AuditPackService) {}

  @Get()
  @Requires('member', { workspaceInQuery: true })
  @ApiOperation({ summary: 'Download everything that is stored of a release as a signed archive' })
  @IdParam('release')
  @ApiOkResponse({
    description: 'A zip file. `shipgate verify-pack` verifies it offline, and its README.txt describes the content.',
    content: { [ZIP]: { schema: { type: 'string', format: 'binary' }, example: 'PK' } },
  })
  @ErrorResponses({
    404: 'You can read no release with this id.',
    429: 'You are downloading the maximum number of packs already.',
  })
  async downloadAuditPack(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<StreamableFile> {
    const { bytes, filename } = await this.packs.create(viewer, id, request.id);
    return new StreamableFile(bytes, { type: ZIP, disposition: `attachment; filename="${filename}"` });
  }
}
