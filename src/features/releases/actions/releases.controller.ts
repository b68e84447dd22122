import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { isCalendarDay } from '../../../domain/policy/freeze.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ReleaseCardDto } from '../lists/release-list.dto.js';
import { ReleaseListService } from '../lists/release-list.service.js';
import { titleMustEqualVersion } from '../releases.errors.js';
import { CreateReleaseDto, EvidencePullStartedDto, RefreshStartedDto } from './release-actions.dto.js';
import { ReleaseActionsService } from './release-actions.service.js';
import { ReleaseCreationService, type NewRelease } from './release-creation.service.js';

const RELEASE = { name: 'id', format: 'uuid', description: 'The id of the release.' };
const NO_RELEASE = 'The person may read no such release.';
const NOT_REACHED = 'The app is not installed for the organization, or suspended.';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/milestones')
export class ReleasesController {
  constructor(
    private readonly creation: ReleaseCreationService,
    private readonly actions: ReleaseActionsService,
    private readonly summaries: ReleaseListService,
  ) {}

  @Post()
  @Requires('member')
  @ApiOperation({ summary: 'Make a release: its milestone on GitHub, in the name of who asks' })
  @ApiCreatedResponse({ type: ReleaseCardDto, description: 'The release; it is thought over in a moment.' })
  @ErrorResponses({
    403: 'GitHub does not let the person make milestones here, or takes no token of theirs any more.',
    404: 'The person may read no such repository.',
    409: 'There is a release, or a milestone, of this version already, or the app is not installed for the organization, or suspended.',
    422: 'The version is none under the release naming of the repository, or GitHub does not take the milestone.',
    503: 'GitHub cannot be asked now. Where the milestone was made all the same, its release follows by itself.',
  })
  async create(@CurrentCaller() caller: MemberCaller, @Body() input: CreateReleaseDto): Promise<ReleaseCardDto> {
    return this.summaries.get(caller.viewer, await this.creation.create(caller, toNewRelease(input)));
  }

  @Post(':id/start')
  @HttpCode(HttpStatus.OK)
  @Requires('member')
  @ApiOperation({ summary: 'Say that work on a release has begun' })
  @ApiParam(RELEASE)
  @ApiOkResponse({ type: ReleaseCardDto, description: 'As it stands now. Saying it again changes nothing.' })
  @ErrorResponses({ 404: NO_RELEASE, 409: 'The release is shipped or cancelled.' })
  async start(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<ReleaseCardDto> {
    await this.actions.start(caller, id);
    return this.summaries.get(caller.viewer, id);
  }

  @Post(':id/refresh')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Have a release read from GitHub anew' })
  @ApiParam(RELEASE)
  @ApiAcceptedResponse({
    type: RefreshStartedDto,
    description: 'It is read in the background; `release.updated` tells of a change.',
  })
  @ErrorResponses({ 404: NO_RELEASE, 409: NOT_REACHED })
  async refresh(@CurrentCaller() { viewer }: MemberCaller, @Param('id') id: string): Promise<RefreshStartedDto> {
    await this.actions.enqueueRefresh(viewer, id);
    return { milestoneId: id, status: 'running' };
  }

  @Post(':id/evidence-pr')
  @HttpCode(HttpStatus.ACCEPTED)
  @Requires('member')
  @ApiOperation({ summary: 'Open the evidence pull request again that was closed unmerged' })
  @ApiParam(RELEASE)
  @ApiAcceptedResponse({
    type: EvidencePullStartedDto,
    description: 'Another one is being opened; approvals of the closed one do not count for it.',
  })
  @ErrorResponses({
    404: NO_RELEASE,
    409: 'The release is not in EVIDENCING, its evidence pull request is open, merged or being opened, or the app is not installed for the organization, or suspended.',
    503: 'GitHub cannot be asked now whether the pull request is closed.',
  })
  async reopen(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<EvidencePullStartedDto> {
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
    throw new DomainError('invalid', 'dueOn must be a day that there is.');
  }
  return due;
}
