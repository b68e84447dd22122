import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { Member } from '../../../auth/caller.js';
import { ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ReleaseDetailsDto, ReleaseDetailsQuery } from './release-details.dto.js';
import { ReleaseDetailsService } from './release-details.service.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones/:id')
export class ReleaseDetailsController {
  constructor(private readonly releases: ReleaseDetailsService) {}

  @Get()
  @Requires('member', { personalKey: 'read' })
  @ApiOperation({ summary: 'Get the details of a release: its stages and the facts behind them' })
  @IdParam('release')
  @ApiOkResponse({
    type: ReleaseDetailsDto,
    description:
      'The facts are read from GitHub within 3 seconds, unless only stored ones are requested. A fact that could not be read in time is unknown, with the reason.',
  })
  @ErrorResponses({ 404: 'The workspace has no such release, or you cannot read it.' })
  async getRelease(
    @CurrentCaller() caller: Member,
    @Param('id') id: string,
    @Query() { look = 'live' }: ReleaseDetailsQuery,
  ): Promise<ReleaseDetailsDto> {
    return this.releases.read(caller, id, look);
  }
}
