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
import type { Waiver } from '../../domain/override/override.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { WaiverDto, CreateWaiverDto, WaiversDto } from './overrides.dto.js';
import { WaiversService } from './waivers.service.js';

const RELEASE = { name: 'id', format: 'uuid', description: 'The id of the release.' };
const WAIVER = { name: 'waiverId', format: 'uuid', description: 'The id of the waiver.' };
const NO_RELEASE = 'The person may read no such release.';
const NO_WAIVER = 'The person may read no such release, or it has no such waiver that stands.';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/milestones/:id/waivers')
export class WaiversController {
  constructor(private readonly waivers: WaiversService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'What two admins agreed to do without, or one asks for' })
  @ApiParam(RELEASE)
  @ApiOkResponse({ type: WaiversDto, description: 'What was withdrawn, or is over, is not in it.' })
  @ErrorResponses({ 404: NO_RELEASE })
  async list(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<WaiversDto> {
    return { waivers: (await this.waivers.list(caller, id)).map(shown) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Ask for a condition of the candidate to be set aside' })
  @ApiParam(RELEASE)
  @ApiCreatedResponse({ type: WaiverDto, description: 'It holds once another admin confirms it.' })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The release is shipped or cancelled, has no candidate or too many waivers, or the condition keeps nothing back.',
    422: 'The condition is one that cannot be waived.',
  })
  async request(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Body() { condition, reason, expiresAt }: CreateWaiverDto,
  ): Promise<WaiverDto> {
    return shown(await this.waivers.request(caller, id, { condition, reason, expiresAt: new Date(expiresAt) }));
  }

  @Post(':waiverId/confirm')
  @HttpCode(HttpStatus.OK)
  @Requires('admin')
  @ApiOperation({ summary: 'Confirm what another admin asked for' })
  @ApiParam(RELEASE)
  @ApiParam(WAIVER)
  @ApiOkResponse({ type: WaiverDto, description: 'It holds from now on, and the release was thought over.' })
  @ErrorResponses({
    403: 'It is one’s own request.',
    404: NO_WAIVER,
    409: 'It was confirmed already, its requester is no admin any more, or the release is shipped, cancelled or has another candidate.',
  })
  async confirm(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<WaiverDto> {
    return shown(await this.waivers.confirm(caller, id, waiverId));
  }

  @Delete(':waiverId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a waiver, or the request for one' })
  @ApiParam(RELEASE)
  @ApiParam(WAIVER)
  @ApiNoContentResponse({ description: 'It sets nothing aside any more, and the release was thought over.' })
  @ErrorResponses({ 404: NO_WAIVER })
  async withdraw(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
    @Param('waiverId') waiverId: string,
  ): Promise<void> {
    await this.waivers.withdraw(caller, id, waiverId);
  }
}

const shown = ({
  id,
  condition,
  details,
  candidateSha,
  reason,
  requestedBy,
  confirmedBy,
  expiresAt,
}: Waiver): WaiverDto => ({
  id,
  condition,
  details: [...details],
  candidateSha,
  reason,
  requestedBy: requestedBy.login,
  confirmedBy: confirmedBy?.login ?? null,
  expiresAt,
});
