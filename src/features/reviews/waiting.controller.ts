import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ReleaseListService } from '../releases/lists/release-list.service.js';
import { WaitingCountsDto } from './reviews.dto.js';
import { ReviewsService } from './reviews.service.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api/dashboard')
export class WaitingController {
  constructor(
    private readonly releases: ReleaseListService,
    private readonly reviews: ReviewsService,
  ) {}

  @Get('waiting')
  @Requires('member')
  @ApiOperation({ summary: 'Count the releases and reviews that wait for users' })
  @ApiOkResponse({
    type: WaitingCountsDto,
    description: 'Counts over the repositories that you can read, by stored facts.',
  })
  async countWaiting(@CurrentCaller() { viewer, user }: MemberCaller): Promise<WaitingCountsDto> {
    const reviewer = { userId: user.id, login: user.login };
    const [blockedReleases, { total, unknown }] = await Promise.all([
      this.releases.countBlocked(viewer),
      this.reviews.countOwn({ viewer, reviewer }),
    ]);
    return { blockedReleases, reviews: unknown > 0 ? null : total };
  }
}
