import { Controller, Get, Param, Post, Body, HttpCode, HttpStatus, Delete } from '@nestjs/common';
import { ApiTags, ApiOperation, ApiOkResponse, ApiCreatedResponse, ApiNoContentResponse } from '@nestjs/swagger';
import { Requires, CurrentCaller } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { IdParam, ErrorResponses, ErrorCodes } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import {
  WaiversDto,
  toWaiverDto,
  WaiverDto,
  CreateWaiverDto,
  NO_RELEASE,
  NOT_CONFIRMABLE,
  NOT_CONFIRMABLE_CODES,
  OWN,
} from './overrides.dto.js';
import { OverridesService } from './overrides.service.js';

const NO_WAIVER = 'There is no such release, you cannot read it, or it has no such active waiver.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/waivers')
export class WaiversController {
  constructor(private readonly overrides: OverridesService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the active waivers of a release and the requests for them' })
  @IdParam('release')
  @ApiOkResponse({ type: WaiversDto, description: 'The waivers, without withdrawn and expired ones.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async listWaivers(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<WaiversDto> {
    return { waivers: (await this.overrides.list('waiver', caller, id)).map(toWaiverDto) };
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
  async requestWaiver(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { condition, reason, expiresAt }: CreateWaiverDto,
  ): Promise<WaiverDto> {
    return toWaiverDto(
      await this.overrides.requestWaiver(caller, id, { condition, reason, expiresAt: new Date(expiresAt) }),
    );
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
  async confirmWaiver(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<WaiverDto> {
    return toWaiverDto(await this.overrides.confirm('waiver', caller, id, waiverId));
  }

  @Delete(':waiverId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a waiver or the request for one' })
  @IdParam('release')
  @IdParam('waiver', 'waiverId')
  @ApiNoContentResponse({ description: 'The waiver has no effect any more, and the release was evaluated again.' })
  @ErrorResponses({ 404: NO_WAIVER })
  async withdrawWaiver(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<void> {
    await this.overrides.withdraw('waiver', caller, id, waiverId);
  }
}
