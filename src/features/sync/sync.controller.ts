import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { SyncStartedDto, SyncStatusDto, StartSyncDto } from './sync.dto.js';
import { SyncService } from './sync.service.js';

@ApiTags('sync')
@RateLimited('session')
@Controller('api/sync')
export class SyncController {
  constructor(private readonly syncs: SyncService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'Get the sync status of the workspace' })
  @ApiOkResponse({ type: SyncStatusDto, description: 'The status of the repositories that you can read, by name.' })
  async getSyncStatus(@CurrentCaller() { viewer }: MemberCaller): Promise<SyncStatusDto> {
    const { status, syncId, nextSyncId, lastSyncedAt, failure, repos, ignored, deadLetters } =
      await this.syncs.read(viewer);
    return {
      status,
      syncId,
      nextSyncId,
      lastSyncedAt,
      detail: failure,
      repos: repos.map(({ repoId, repo, status, detail }) => ({ repoId, repo, status, detail })),
      ignored: [...ignored],
      deadLetters,
    };
  }

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Start a sync of the workspace or of one repository' })
  @ApiBody({ type: StartSyncDto, required: false })
  @ApiAcceptedResponse({
    type: SyncStartedDto,
    description: 'The sync run. It has started, or starts when the current one ends.',
  })
  @ErrorResponses({
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'The app is not installed in the organization, or it is suspended.',
  })
  @ErrorCodes({ 409: ['app_not_installed'] })
  async startSync(@CurrentCaller() { viewer }: MemberCaller, @Body() order?: StartSyncDto): Promise<SyncStartedDto> {
    const { id, status } = await this.syncs.start(viewer, order?.repoId ?? null);
    return { syncId: id, status };
  }
}
