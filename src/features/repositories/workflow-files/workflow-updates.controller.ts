import { Body, Controller, Get, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { WorkflowUpdateDto, OpenWorkflowUpdateDto } from '../repository-setup.dto.js';
import { type WorkflowUpdate, WorkflowUpdatesService } from './workflow-updates.service.js';

const NO_REPOSITORY = 'The workspace has no such repository, or you cannot read it.';

@ApiTags('repositories')
@RateLimited('session')
@Controller('api/repos')
export class WorkflowUpdatesController {
  constructor(private readonly updates: WorkflowUpdatesService) {}

  @Get(':repoId/workflow-update-status')
  @Requires('member')
  @ApiOperation({ summary: "Get whether a repository's workflow files are up to date" })
  @IdParam('repository', 'repoId')
  @ApiOkResponse({ type: WorkflowUpdateDto, description: 'The current state on GitHub. Nothing is changed.' })
  @ErrorResponses({
    404: NO_REPOSITORY,
    409: 'The repository has no workflow files of Shipgate, the app cannot access it, or GitHub rejects the request.',
    503: 'GitHub does not answer now.',
  })
  @ErrorCodes({ 409: ['not_set_up', 'app_not_installed', 'github_rejected'] })
  async getWorkflowUpdate(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repositoryId: string,
  ): Promise<WorkflowUpdateDto> {
    return toDto(await this.updates.read(caller, repositoryId));
  }

  @Post(':repoId/workflow-update-pr')
  @Requires('admin')
  @ApiOperation({ summary: "Open the pull request that updates a repository's workflow files" })
  @IdParam('repository', 'repoId')
  @ApiBody({ type: OpenWorkflowUpdateDto, required: false })
  @ApiCreatedResponse({ type: WorkflowUpdateDto, description: 'The pull request was opened.' })
  @ApiOkResponse({
    type: WorkflowUpdateDto,
    description: 'The pull request was already open, or there is nothing to update.',
  })
  @ErrorResponses({
    404: NO_REPOSITORY,
    409: 'The repository has no workflow files of Shipgate, its update branch has changes that Shipgate did not create, the app cannot access it, or GitHub rejects the pull request.',
    422: 'The app may not write workflow files, and no sufficient personal access token was sent.',
    503: 'GitHub does not answer now.',
  })
  @ErrorCodes({
    409: ['not_set_up', 'branch_conflict', 'app_not_installed', 'github_rejected'],
    422: ['pat_required', 'pat_rejected'],
  })
  async openWorkflowUpdate(
    @CurrentCaller() caller: MemberCaller,
    @Param('repoId') repositoryId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() order?: OpenWorkflowUpdateDto,
  ): Promise<WorkflowUpdateDto> {
    const update = await this.updates.open(caller, repositoryId, order?.pat ?? null);
    reply.status(update.status === 'PR_CREATED' ? HttpStatus.CREATED : HttpStatus.OK);
    return toDto(update);
  }
}

const toDto = ({ pull, managedFiles, ...update }: WorkflowUpdate): WorkflowUpdateDto => ({
  ...update,
  prNumber: pull?.number ?? null,
  prUrl: pull?.url ?? null,
  managedFiles: [...managedFiles],
});
