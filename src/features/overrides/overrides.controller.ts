import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { FIRST_PAGE, pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { BreakGlassService } from './break-glass.service.js';
import {
  BreakGlassRequestDto,
  BreakGlassRequestsDto,
  CreateBreakGlassRequestDto,
  CreateWaiverDto,
  OverrideListDto,
  OverrideListQuery,
  toOverrideRequestDto,
  WaiverDto,
  WaiversDto,
} from './overrides.dto.js';
import type { OverrideByKind } from './overrides.repository.js';
import { OverridesService } from './overrides.service.js';
import { WaiversService } from './waivers.service.js';

const NO_RELEASE = 'There is no such release, or you cannot read it.';
const NO_WAIVER = 'There is no such release, you cannot read it, or it has no such active waiver.';
const NO_REQUEST = 'There is no such release, you cannot read it, or it has no such active request.';
const OWN = 'You created the request yourself.';
const CONFIRMED =
  'The gate is open for the commit for up to 4 hours, unless a condition closes it that cannot be overridden.';
const NOT_CONFIRMABLE_CODES = [
  'already_confirmed',
  'requester_not_admin',
  'shipped',
  'cancelled',
  'no_candidate',
  'other_candidate',
] as const;
const NOT_CONFIRMABLE =
  'It was confirmed already, its requester is not an admin any more, or the release is shipped, cancelled or has another candidate.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/overrides')
export class OverridesController {
  constructor(private readonly overrides: OverridesService) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the waivers and break-glass requests of all releases' })
  @ApiOkResponse({
    type: OverrideListDto,
    description:
      'A page of the overrides of the releases that you can read. Without `page` and `pageSize` it is the first page. Overrides of releases that are shipped or cancelled or have another candidate are left out.',
  })
  async list(@CurrentCaller() { viewer }: MemberCaller, @Query() query: OverrideListQuery): Promise<OverrideListDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.overrides.listPage(viewer, query.state ?? null, page);
    return { overrides: items, pagination: pageInfo(page, total) };
  }
}

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/waivers')
export class WaiversController {
  constructor(private readonly waivers: WaiversService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the active waivers of a release and the requests for them' })
  @IdParam('release')
  @ApiOkResponse({ type: WaiversDto, description: 'The waivers, without withdrawn and expired ones.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async list(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<WaiversDto> {
    return { waivers: (await this.waivers.list(caller, id)).map(toWaiverDto) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Request a waiver of one condition of the candidate' })
  @IdParam('release')
  @ApiCreatedResponse({
    type: WaiverDto,
    description: 'The request. It has no effect before another admin confirms it.',
  })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The release is shipped or cancelled, has no candidate or too many waivers, or the condition is not unmet.',
    422: 'The condition cannot be waived.',
  })
  @ErrorCodes({ 409: ['shipped', 'cancelled', 'no_candidate', 'override_limit', 'condition_met'] })
  async request(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { condition, reason, expiresAt }: CreateWaiverDto,
  ): Promise<WaiverDto> {
    return toWaiverDto(await this.waivers.request(caller, id, { condition, reason, expiresAt: new Date(expiresAt) }));
  }

  @Post(':waiverId/confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm the waiver that another admin requested' })
  @IdParam('release')
  @IdParam('waiver', 'waiverId')
  @ApiOkResponse({ type: WaiverDto, description: 'The waiver is in effect, and the release was evaluated again.' })
  @ErrorResponses({ 403: OWN, 404: NO_WAIVER, 409: NOT_CONFIRMABLE })
  @ErrorCodes({ 403: ['own_request'], 409: NOT_CONFIRMABLE_CODES })
  async confirm(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<WaiverDto> {
    return toWaiverDto(await this.waivers.confirm(caller, id, waiverId));
  }

  @Delete(':waiverId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a waiver or the request for one' })
  @IdParam('release')
  @IdParam('waiver', 'waiverId')
  @ApiNoContentResponse({ description: 'The waiver has no effect any more, and the release was evaluated again.' })
  @ErrorResponses({ 404: NO_WAIVER })
  async withdraw(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<void> {
    await this.waivers.withdraw(caller, id, waiverId);
  }
}

const toWaiverDto = ({ condition, details, candidateSha, ...request }: OverrideByKind['waiver']): WaiverDto => ({
  ...toOverrideRequestDto(request),
  condition,
  details: [...details],
  candidateSha,
});

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/break-glass')
export class BreakGlassController {
  constructor(private readonly glass: BreakGlassService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the active break-glass requests of a release' })
  @IdParam('release')
  @ApiOkResponse({ type: BreakGlassRequestsDto, description: 'The requests, without withdrawn and expired ones.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async list(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<BreakGlassRequestsDto> {
    return { breakGlass: (await this.glass.list(caller, id)).map(toBreakGlassRequestDto) };
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
  async request(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { sha, reason }: CreateBreakGlassRequestDto,
  ): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.glass.request(caller, id, { sha, reason }));
  }

  @Post('confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm the only pending request' })
  @IdParam('release')
  @ApiOkResponse({ type: BreakGlassRequestDto, description: CONFIRMED })
  @ErrorResponses({ 403: OWN, 404: NO_REQUEST, 409: `More than one request is pending. ${NOT_CONFIRMABLE}` })
  @ErrorCodes({ 403: ['own_request'], 409: [...NOT_CONFIRMABLE_CODES, 'request_id_required'] })
  async confirmOnly(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.glass.confirm(caller, id, null));
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
  async confirm(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<BreakGlassRequestDto> {
    return toBreakGlassRequestDto(await this.glass.confirm(caller, id, requestId));
  }

  @Delete(':requestId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a break-glass request, confirmed or not' })
  @IdParam('release')
  @IdParam('request', 'requestId')
  @ApiNoContentResponse({ description: 'The request has no effect any more, and the release was evaluated again.' })
  @ErrorResponses({ 404: NO_REQUEST })
  async withdraw(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('requestId') requestId: string,
  ): Promise<void> {
    await this.glass.withdraw(caller, id, requestId);
  }
}

const toBreakGlassRequestDto = ({ sha, ...request }: OverrideByKind['break_glass']): BreakGlassRequestDto => ({
  ...toOverrideRequestDto(request),
  sha,
});
