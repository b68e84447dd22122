import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { Member, MemberCaller } from '../../../auth/caller.js';
import { isCalendarDay } from '../../../domain/policy/freeze.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ReleaseSummaryDto } from '../lists/release-list.dto.js';
import { ReleaseListService } from '../lists/release-list.service.js';
import { titleMustEqualVersion } from '../releases.errors.js';
import { CreateReleaseDto, EvidencePullStartedDto, RefreshStartedDto } from './release-actions.dto.js';
import { ReleaseActionsService } from './release-actions.service.js';
import { ReleaseCreationService, type NewRelease } from './release-creation.service.js';

const NO_RELEASE = 'The workspace has no such release, or you cannot read it.';
const NOT_REACHED = 'The app is not installed in the organization, or it is suspended.';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones')
export class ReleasesController {
  constructor(
    private readonly creation: ReleaseCreationService,
    private readonly actions: ReleaseActionsService,
    private readonly releaseList: ReleaseListService,
  ) {}

  @Post()
  @Requires('member')
  @ApiOperation({ summary: 'Create a release and its milestone on GitHub, as the user who requests it' })
  @ApiCreatedResponse({ type: ReleaseSummaryDto, description: 'The release. Its first evaluation is queued.' })
  @ErrorResponses({
    403: 'GitHub does not allow you to create milestones here, or does not accept your sign-in any more.',
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'A release or a milestone of this version exists already, or the app is not installed in the organization, or it is suspended.',
    422: 'The version does not match the release naming of the repository, or GitHub rejects the milestone.',
    503: 'GitHub does not answer now. If the milestone was created, its release follows automatically.',
  })
  @ErrorCodes({
    403: ['github_rejected', 'sign_in_again'],
    409: ['release_exists', 'milestone_exists', 'milestone_without_release', 'app_not_installed'],
    422: ['not_a_version', 'github_rejected'],
  })
  async createRelease(
    @CurrentCaller() caller: MemberCaller,
    @Body() input: CreateReleaseDto,
  ): Promise<ReleaseSummaryDto> {
    return this.releaseList.get(caller.viewer, await this.creation.create(caller, toNewRelease(input)));
  }

  @Post(':id/start')
  @HttpCode(HttpStatus.OK)
  @Requires('member', { personalKey: 'write' })
  @ApiOperation({ summary: 'Start a release' })
  @IdParam('release')
  @ApiOkResponse({ type: ReleaseSummaryDto, description: 'The release. Starting it again changes nothing.' })
  @ErrorResponses({ 404: NO_RELEASE, 409: 'The release is shipped or cancelled.' })
  @ErrorCodes({ 409: ['shipped', 'cancelled'] })
  async startRelease(@CurrentCaller() caller: Member, @Param('id') id: string): Promise<ReleaseSummaryDto> {
    await this.actions.start(caller, id);
    return this.releaseList.get(caller.viewer, id);
  }

  @Post(':id/refresh')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Refresh a release from GitHub' })
  @IdParam('release')
  @ApiAcceptedResponse({
    type: RefreshStartedDto,
    description: 'The refresh runs in the background. A change is announced by the event `release.updated`.',
  })
  @ErrorResponses({ 404: NO_RELEASE, 409: NOT_REACHED })
  @ErrorCodes({ 409: ['app_not_installed'] })
  async refreshRelease(@CurrentCaller() { viewer }: MemberCaller, @Param('id') id: string): Promise<RefreshStartedDto> {
    await this.actions.enqueueRefresh(viewer, id);
    return { milestoneId: id, status: 'running' };
  }

  @Post(':id/evidence-pr')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Reopen an evidence pull request that was closed without a merge' })
  @IdParam('release')
  @ApiAcceptedResponse({
    type: EvidencePullStartedDto,
    description: 'Another pull request is being opened. Approvals of the closed one do not count.',
  })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The release is not in EVIDENCING, its evidence pull request is open, merged or being opened, or the app is not installed in the organization, or it is suspended.',
    503: 'GitHub did not confirm whether the pull request is closed.',
  })
  @ErrorCodes({
    409: [
      'shipped',
      'cancelled',
      'not_evidencing',
      'pull_request_not_closed',
      'pull_request_opening',
      'app_not_installed',
    ],
  })
  async reopenEvidencePullRequest(
    @CurrentCaller() caller: MemberCaller,
    @Param('id') id: string,
  ): Promise<EvidencePullStartedDto> {
    await this.actions.reopenEvidencePull(caller, id);
    return { milestoneId: id, status: 'opening' };
  }
}

function toNewRelease({ repoId, version, title, dueOn, description }: CreateReleaseDto): NewRelease {
  if ((title ?? version) !== version) throw titleMustEqualVersion();
  return { repositoryId: repoId, version, description: description ?? null, dueOn: parseDueDate(dueOn ?? null) };
}

/** Noon falls on the same day in every time zone that GitHub may use. */
function parseDueDate(text: string | null): Date | null {
  if (text === null) return null;
  const due = new Date(text.includes('T') ? text : `${text}T12:00:00Z`);
  if (!isCalendarDay(text.slice(0, 10)) || Number.isNaN(due.getTime())) {
    throw new DomainError('invalid', 'dueOn must be an existing day.');
  }
  return due;
}
