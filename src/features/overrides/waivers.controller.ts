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
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { CreateWaiverDto, toOverrideRequestDto, WaiverDto, WaiversDto } from './overrides.dto.js';
import type { OverrideByKind } from './overrides.repository.js';
import { WaiversService } from './waivers.service.js';

const RELEASE = { name: 'id', format: 'uuid', description: 'The id of the release.' };
const WAIVER = { name: 'waiverId', format: 'uuid', description: 'The id of the waiver.' };
const NO_RELEASE = 'There is no such release, or you cannot read it.';
const NO_WAIVER = 'There is no such release, you cannot read it, or it has no such active waiver.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/waivers')
export class WaiversController {
  constructor(private readonly waivers: WaiversService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the active waivers of a release and the requests for them' })
  @ApiParam(RELEASE)
  @ApiOkResponse({ type: WaiversDto, description: 'The waivers, without withdrawn and expired ones.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async list(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<WaiversDto> {
    return { waivers: (await this.waivers.list(caller, id)).map(toWaiverDto) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Request a waiver of one condition of the candidate' })
  @ApiParam(RELEASE)
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
  @ApiParam(RELEASE)
  @ApiParam(WAIVER)
  @ApiOkResponse({ type: WaiverDto, description: 'The waiver is in effect, and the release was evaluated again.' })
  @ErrorResponses({
    403: 'You created the request yourself.',
    404: NO_WAIVER,
    409: 'It was confirmed already, its requester is not an admin any more, or the release is shipped, cancelled or has another candidate.',
  })
  @ErrorCodes({
    403: ['own_request'],
    409: ['already_confirmed', 'requester_not_admin', 'shipped', 'cancelled', 'no_candidate', 'other_candidate'],
  })
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
  @ApiParam(RELEASE)
  @ApiParam(WAIVER)
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
