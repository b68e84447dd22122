import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { BillingDto, CreateUpgradeRequestDto, UpgradeRequestDto } from './billing.dto.js';
import { BillingService } from './billing.service.js';

@ApiTags('billing')
@RateLimited('session')
@Controller('api/billing')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'Get the plan of the workspace and its use' })
  @ApiOkResponse({ type: BillingDto, description: 'The current plan and its use.' })
  async getPlan(@CurrentCaller() { orgId }: MemberCaller): Promise<BillingDto> {
    const { plan, used, limit, storage, request } = await this.billing.read(orgId);
    return { plan, managedRepositories: { used, limit }, storage, request };
  }

  @Post('upgrade-requests')
  @Requires('admin')
  @ApiOperation({ summary: 'Request the pro plan' })
  @ApiCreatedResponse({ type: UpgradeRequestDto, description: 'The request, which a platform admin decides.' })
  @ErrorResponses({ 409: 'A request is open, the workspace is on the pro plan already, or billing is off.' })
  @ErrorCodes({ 409: ['request_open', 'same_plan'] })
  async requestUpgrade(
    @CurrentCaller() caller: MemberCaller,
    @Body() { note }: CreateUpgradeRequestDto,
  ): Promise<UpgradeRequestDto> {
    return this.billing.requestUpgrade(caller, note?.trim() || null);
  }

  @Delete('upgrade-requests/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('admin')
  @ApiOperation({ summary: 'Withdraw a request for the pro plan' })
  @IdParam('request')
  @ApiNoContentResponse({ description: 'The request is withdrawn.' })
  @ErrorResponses({ 404: 'The workspace has no such request.', 409: 'The request is not open.' })
  @ErrorCodes({ 409: ['request_closed'] })
  async withdrawUpgradeRequest(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    await this.billing.withdraw(caller, id);
  }
}
