import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
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
  @ApiOperation({ summary: 'How far the workspace is in line with GitHub' })
  @ApiOkResponse({ type: SyncStatusDto, description: 'Of the repositories that the person may read, by name.' })
  async read(@CurrentCaller() { viewer }: MemberCaller): Promise<SyncStatusDto> {
    const { status, syncId, nextSyncId, lastSyncedAt, failure, repos, ignored, deadLetters } =
      await this.syncs.read(viewer);
    return {
      status,
      syncId,
      nextSyncId,
      lastSyncedAt,
      detail: failure,
      repos: repos.map(({ repo, status, detail }) => ({ repo, status, detail })),
      ignored: [...ignored],
      deadLetters,
    };
  }

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Have the workspace, or one repository, read from GitHub anew' })
  @ApiBody({ type: StartSyncDto, required: false })
  @ApiAcceptedResponse({
    type: SyncStartedDto,
    description: 'The run that reads it, which began now or follows the one under way.',
  })
  @ErrorResponses({
    404: 'The person may read no such repository.',
    409: 'The app is not installed for the organization, or suspended.',
  })
  async start(@CurrentCaller() { viewer }: MemberCaller, @Body() order?: StartSyncDto): Promise<SyncStartedDto> {
    const { id, status } = await this.syncs.start(viewer, order?.repoId ?? null);
    return { syncId: id, status };
  }
}
