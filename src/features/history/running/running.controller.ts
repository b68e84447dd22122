import { Body, Controller, Get, HttpCode, HttpStatus, Param, Put, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth, CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { CiCaller, MemberCaller } from '../../../auth/caller.js';
import { repositoryRateLimitKey } from '../../../auth/rate-limit-key.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { FIRST_PAGE, pageInfo, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RateLimitService } from '../../../http/rate-limit/rate-limit.service.js';
import {
  EnvironmentParams,
  RunningDto,
  RunningInEnvironmentDto,
  RunningInEnvironmentQuery,
  RunningQuery,
  StateRunningDto,
  toRunningFilter,
} from './running.dto.js';
import { RunningMetrics } from './running.metrics.js';
import { RunningService } from './running.service.js';
import { RunningStatementsService } from './running-statements.service.js';

@ApiTags('history')
@Controller('api')
export class RunningController {
  constructor(
    private readonly running: RunningService,
    private readonly statements: RunningStatementsService,
    private readonly limits: RateLimitService,
    private readonly metrics: RunningMetrics,
  ) {}

  @Put('environments/:name/running')
  @CiAuth('deployment:write')
  @RateLimited('upload')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'State which artifacts run in an environment' })
  @ApiNoContentResponse({ description: 'The statement is stored and replaces the one before.' })
  @ErrorResponses({
    403: 'The run may not state it: by its event, or its environment.',
    404: 'The repository does not exist, or the credential cannot report for it.',
    422: 'Artifacts run in the maximum of 100 environments of the repository.',
  })
  async stateRunning(
    @CurrentCaller() caller: CiCaller,
    @Param() { name: environment }: EnvironmentParams,
    @Body() { repo, artifacts, at }: StateRunningDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const statedAt = typeof at === 'string' ? new Date(at) : null;
    await this.metrics.observe(() =>
      this.statements.receive(caller, { repo, environment, artifacts, statedAt }, async (repository) => {
        // The guard has already counted the requests of CI runs.
        if (caller.kind !== 'api_key') return;
        await this.limits.consume('upload', repositoryRateLimitKey(caller.orgId, repository), reply);
      }),
    );
  }

  @Get('environments/:name/running')
  @Requires('member')
  @RateLimited('session')
  @Revalidated()
  @ApiOperation({ summary: 'List the artifacts of a repository that run in an environment' })
  @ApiOkResponse({ type: RunningInEnvironmentDto, description: 'The artifacts of the last statement.' })
  @ErrorResponses({ 404: 'The workspace has no such repository, or you cannot read it.' })
  async listRunningInEnvironment(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param() { name }: EnvironmentParams,
    @Query() { repo }: RunningInEnvironmentQuery,
  ): Promise<RunningInEnvironmentDto> {
    return { artifacts: await this.running.list(viewer, repo, name) };
  }

  @Get('running')
  @Requires('member')
  @RateLimited('session')
  @Revalidated()
  @ApiOperation({ summary: 'List the artifacts that run in all environments' })
  @ApiOkResponse({
    type: RunningDto,
    description: 'A page of the running artifacts of the repositories that you can read.',
  })
  async listRunning(@CurrentCaller() { viewer }: MemberCaller, @Query() query: RunningQuery): Promise<RunningDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.running.readPage(viewer, toRunningFilter(query), page);
    return { artifacts: items, pagination: pageInfo(page, total) };
  }
}
