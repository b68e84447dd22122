import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { DiagnosticsDto } from './diagnostics.dto.js';
import { DiagnosticsService } from './diagnostics.service.js';

@ApiTags('operation')
@Controller('api/debug')
export class DiagnosisController {
  constructor(private readonly diagnostics: DiagnosticsService) {}

  @Get()
  @Requires('admin')
  @RateLimited('session')
  @ApiOperation({
    summary: 'Get the diagnostics: versions, database, queue, freshness and GitHub rate limits',
    description: 'For the analysis of problems. Contains no secrets and no data of other workspaces.',
  })
  @ApiOkResponse({ type: DiagnosticsDto, description: 'The current state of the service.' })
  getDiagnostics(@CurrentCaller() { viewer }: MemberCaller): Promise<DiagnosticsDto> {
    return this.diagnostics.get(viewer);
  }
}
