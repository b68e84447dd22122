import { Controller, Get, Param, Post, Body, HttpCode, HttpStatus, Delete } from '@nestjs/common';
import { ApiTags, ApiOperation, ApiOkResponse, ApiCreatedResponse, ApiNoContentResponse } from '@nestjs/swagger';
import { Requires, CurrentCaller } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { IdParam, ErrorResponses, ErrorCodes } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import {
  NO_RELEASE,
  NOT_CONFIRMABLE,
  NOT_CONFIRMABLE_CODES,
  OWN,
  toOverrideRequestDto,
  BreakGlassRequestsDto,
  BreakGlassRequestDto,
  CreateBreakGlassRequestDto,
} from './overrides.dto.js';
import type { OverrideByKind } from './overrides.repository.js';
import { OverridesService } from './overrides.service.js';

const NO_REQUEST = 'There is no such release, you cannot read it, or it has no such active request.';
const CONFIRMED =
  'The gate is open for the commit for up to 4 hours, unless a condition closes it that cannot be overridden.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/break-glass')
export class BreakGlassController {
  constructor(private readonly overrides: OverridesService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the active break-glass requests of a release' })
  @IdParam('release')
  @ApiOkResponse({ type: BreakGlassRequestsDto, description: 'The requests, without withdrawn and expired ones.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async listBreakGlassRequests(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
  ): Promise<BreakGlassRequestsDto> {
    return { breakGlass: (await this.overrides.list('break_glass', caller, id)).map(toBreakGlassRequestDto) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Request to open the gate for one commit in an emergency' })
  @IdParam('release')
  @ApiCreatedResponse({
    type: BreakGlassRequestDto,
    description: 'The request. It has no effect before another admin confirms it.',
  })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The commit is not the candidate, too many requests are active, or the release is shipped or cancelled.',
  })
  @ErrorCodes({ 409: ['shipped', 'cancelled', 'no_candidate', 'override_limit', 'other_candidate'] })
  async requestBreakGlass(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { sha, reason }: CreateBreakGlassRequestDto,
  ): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.overrides.requestBreakGlass(caller, id, { sha, reason }));
  }

  @Post('confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm the only pending request' })
  @IdParam('release')
  @ApiOkResponse({ type: BreakGlassRequestDto, description: CONFIRMED })
  @ErrorResponses({ 403: OWN, 404: NO_REQUEST, 409: `More than one request is pending. ${NOT_CONFIRMABLE}` })
  @ErrorCodes({ 403: ['own_request'], 409: [...NOT_CONFIRMABLE_CODES, 'request_id_required'] })
  async confirmPendingBreakGlass(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
  ): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.overrides.confirm('break_glass', caller, id, null));
  }

  @Post(':requestId/confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm the request of another admin' })
  @IdParam('release')
  @IdParam('request', 'requestId')
  @ApiOkResponse({ type: BreakGlassRequestDto, description: CONFIRMED })
  @ErrorResponses({ 403: OWN, 404: NO_REQUEST, 409: NOT_CONFIRMABLE })
  @ErrorCodes({ 403: ['own_request'], 409: NOT_CONFIRMABLE_CODES })
  async confirmBreakGlass(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.overrides.confirm('break_glass', caller, id, requestId));
  }

  @Delete(':requestId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a break-glass request, confirmed or not' })
  @IdParam('release')
  @IdParam('request', 'requestId')
  @ApiNoContentResponse({ description: 'The request has no effect any more, and the release was evaluated again.' })
  @ErrorResponses({ 404: NO_REQUEST })
  async withdrawBreakGlass(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<void> {
    await this.overrides.withdraw('break_glass', caller, id, requestId);
  }
}

const toBreakGlassRequestDto = ({ sha, ...request }: OverrideByKind['break_glass']): BreakGlassRequestDto => ({
  ...toOverrideRequestDto(request),
  sha,
});
