import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import type { BreakGlass } from '../../domain/override/override.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { BreakGlassService } from './break-glass.service.js';
import { BreakGlassRequestDto, CreateBreakGlassRequestDto, BreakGlassRequestsDto } from './overrides.dto.js';

const RELEASE = { name: 'id', format: 'uuid', description: 'The id of the release.' };
const REQUEST = { name: 'requestId', format: 'uuid', description: 'The id of the request.' };
const NO_RELEASE = 'The person may read no such release.';
const NO_REQUEST = 'The person may read no such release, or it has no such request that stands.';
const OWN = 'It is one’s own request.';
const CONFIRMED =
  'The gate is open for the commit, 4 hours at most, unless something that nobody sets aside closes it.';
const IN_VAIN =
  'It was confirmed already, its requester is no admin any more, or the release is shipped, cancelled or has another candidate.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/break-glass')
export class BreakGlassController {
  constructor(private readonly glass: BreakGlassService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'For which commit the glass is broken, or somebody asks for that' })
  @ApiParam(RELEASE)
  @ApiOkResponse({ type: BreakGlassRequestsDto, description: 'What was withdrawn, or is over, is not in it.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async list(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<BreakGlassRequestsDto> {
    return { breakGlass: (await this.glass.list(caller, id)).map(shown) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Ask for the gate to be opened for one commit in an emergency' })
  @ApiParam(RELEASE)
  @ApiCreatedResponse({ type: BreakGlassRequestDto, description: 'It opens the gate once another admin confirms it.' })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The commit is not the candidate, too many requests stand, or the release is shipped or cancelled.',
  })
  async request(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { sha, reason }: CreateBreakGlassRequestDto,
  ): Promise<BreakGlassRequestDto> {
    return shown(await this.glass.request(caller, id, { sha, reason }));
  }

  @Post('confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm the only request that waits' })
  @ApiParam(RELEASE)
  @ApiOkResponse({ type: BreakGlassRequestDto, description: CONFIRMED })
  @ErrorResponses({ 403: OWN, 404: NO_REQUEST, 409: `More than one request waits. ${IN_VAIN}` })
  async confirmOnly(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<BreakGlassRequestDto> {
    return shown(await this.glass.confirm(caller, id, null));
  }

  @Post(':requestId/confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm what another admin asked for' })
  @ApiParam(RELEASE)
  @ApiParam(REQUEST)
  @ApiOkResponse({ type: BreakGlassRequestDto, description: CONFIRMED })
  @ErrorResponses({ 403: OWN, 404: NO_REQUEST, 409: IN_VAIN })
  async confirm(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<BreakGlassRequestDto> {
    return shown(await this.glass.confirm(caller, id, requestId));
  }

  @Delete(':requestId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Close the gate again, or withdraw the request' })
  @ApiParam(RELEASE)
  @ApiParam(REQUEST)
  @ApiNoContentResponse({ description: 'It opens nothing any more, and the release was thought over.' })
  @ErrorResponses({ 404: NO_REQUEST })
  async withdraw(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<void> {
    await this.glass.withdraw(caller, id, requestId);
  }
}

const shown = ({ id, sha, reason, requestedBy, confirmedBy, expiresAt }: BreakGlass): BreakGlassRequestDto => ({
  id,
  sha,
  reason,
  requestedBy: requestedBy.login,
  confirmedBy: confirmedBy?.login ?? null,
  expiresAt,
});
