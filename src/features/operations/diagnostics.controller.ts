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
  constructor(private readonly diagnosis: DiagnosticsService) {}

  @Get()
  @Requires('admin')
  @RateLimited('session')
  @ApiOperation({
    summary: 'Versions, database, queue, freshness and what GitHub still allows.',
    description: 'For whoever looks into a problem. It holds no secret, and nothing of another workspace.',
  })
  @ApiOkResponse({ type: DiagnosticsDto, description: 'How the service is now.' })
  show(@CurrentCaller() { viewer }: MemberCaller): Promise<DiagnosticsDto> {
    return this.diagnosis.get(viewer);
  }
}
