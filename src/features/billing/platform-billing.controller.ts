import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  type StreamableFile,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { UserCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { FIRST_PAGE, pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import {
  ApproveUpgradeRequestDto,
  PlatformUpgradeRequestDto,
  ReasonBodyDto,
  UpgradeRequestListDto,
  UpgradeRequestsQuery,
  WorkspacePlanDto,
  WorkspacesQuery,
  WorkspaceUsageListDto,
} from './billing.dto.js';
import { PlatformBillingService } from './platform-billing.service.js';

@ApiTags('platform')
@RateLimited('session')
@Controller('api/platform')
export class PlatformBillingController {
  constructor(
    private readonly billing: PlatformBillingService,
    private readonly lists: JsonListStream,
  ) {}

  @Get('upgrade-requests')
  @Requires('platform_admin')
  @Revalidated()
  @ApiOperation({ summary: 'List the requests for the pro plan of all workspaces' })
  @ApiOkResponse({ type: UpgradeRequestListDto, description: 'The newest first.' })
  async listUpgradeRequests(
    @Query() query: UpgradeRequestsQuery,
    @Req() request: FastifyRequest,
  ): Promise<UpgradeRequestListDto | StreamableFile> {
    const status = query.status || null;
    const page = toPageRequest(query);
    if (page === null) return this.lists.respond(request, { name: 'requests', batches: this.billing.listAll(status) });
    const { items, total } = await this.billing.listPage(status, page);
    return { requests: items, pagination: pageInfo(page, total) };
  }

  @Post('upgrade-requests/:id/approve')
  @HttpCode(HttpStatus.OK)
  @Requires('platform_admin')
  @ApiOperation({ summary: 'Approve an upgrade request that was paid' })
  @IdParam('request')
  @ApiOkResponse({ type: PlatformUpgradeRequestDto, description: 'The workspace is on the pro plan.' })
  @ErrorResponses({ 404: 'There is no such request.', 409: 'The request is not open.' })
  @ErrorCodes({ 409: ['request_closed'] })
  async approveUpgradeRequest(
    @CurrentCaller() { user }: UserCaller,
    @Param('id') id: string,
    @Body() { paymentReference }: ApproveUpgradeRequestDto,
  ): Promise<PlatformUpgradeRequestDto> {
    return this.billing.approve(user, id, paymentReference.trim());
  }

  @Post('upgrade-requests/:id/reject')
  @HttpCode(HttpStatus.OK)
  @Requires('platform_admin')
  @ApiOperation({ summary: 'Reject a request for the pro plan' })
  @IdParam('request')
  @ApiOkResponse({
    type: PlatformUpgradeRequestDto,
    description: 'The request is rejected with this reason. The plan does not change.',
  })
  @ErrorResponses({ 404: 'There is no such request.', 409: 'The request is not open.' })
  @ErrorCodes({ 409: ['request_closed'] })
  async rejectUpgradeRequest(
    @CurrentCaller() { user }: UserCaller,
    @Param('id') id: string,
    @Body() { reason }: ReasonBodyDto,
  ): Promise<PlatformUpgradeRequestDto> {
    return this.billing.reject(user, id, reason.trim());
  }

  @Get('workspaces')
  @Requires('platform_admin')
  @Revalidated()
  @ApiOperation({ summary: 'List the workspaces and their usage' })
  @ApiOkResponse({ type: WorkspaceUsageListDto, description: 'A page of the workspaces, the first without `page`.' })
  async listWorkspaceUsage(@Query() query: WorkspacesQuery): Promise<WorkspaceUsageListDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.billing.listUsage(query.search || null, page);
    return { workspaces: items, pagination: pageInfo(page, total) };
  }

  @Post('workspaces/:org/downgrade')
  @HttpCode(HttpStatus.OK)
  @Requires('platform_admin')
  @ApiOperation({ summary: 'Put a workspace on the free plan' })
  @ApiParam({
    name: 'org',
    description: 'The login of the organization, in any case.',
    schema: { type: 'string', maxLength: 100 },
  })
  @ApiOkResponse({ type: WorkspacePlanDto, description: 'The managed repositories stay managed.' })
  @ErrorResponses({
    404: 'No workspace has an organization of this login, or more than one has.',
    409: 'The workspace is on the free plan already.',
  })
  @ErrorCodes({ 409: ['same_plan'] })
  async downgradeWorkspace(
    @CurrentCaller() { user }: UserCaller,
    @Param('org') org: string,
    @Body() { reason }: ReasonBodyDto,
  ): Promise<WorkspacePlanDto> {
    return this.billing.downgrade(user, org, reason.trim());
  }
}
