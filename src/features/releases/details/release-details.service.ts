import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import type { User } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';
import type { Reviewer } from '../../../domain/review/eligibility.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { LiveRefreshService, type RefreshStatus } from './live-refresh.service.js';
import type { ReleaseApprovalsDto } from './release-approvals.dto.js';
import type { ReleaseApprovals } from './release-approvals.queries.js';
import type { ReadMode, ReleaseDetailsDto } from './release-details.dto.js';
import { ReleaseDetailsQueries } from './release-details.queries.js';
import { ViewerPermissionService } from './viewer-permission.service.js';

/** The member who reads a release. */
export type ReleaseReader = Pick<Member, 'viewer' | 'user'>;

/** The status of a response for which GitHub was not called. */
const STORED = {
  status: 'unknown',
  reason: 'Only stored facts were requested, so nothing was read from GitHub for this response.',
} as const;

/** Reads the details of one release, by stored facts or as it is now. */
@Injectable()
export class ReleaseDetailsService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly live: LiveRefreshService,
    private readonly permissions: ViewerPermissionService,
    private readonly details: ReleaseDetailsQueries,
    private readonly users: UsersRepository,
  ) {}

  /**
   * A live read refreshes the release from GitHub first, up to the deadline. A stored read causes no call to GitHub, now or later.
   * Throws `not_found` if the viewer cannot read the release.
   */
  async read({ viewer, user }: ReleaseReader, releaseId: string, look: ReadMode): Promise<ReleaseDetailsDto> {
    await this.releases.assertReadable(viewer, releaseId);
    const { status, reason } = look === 'live' ? await this.refresh({ viewer, user }, releaseId) : STORED;
    const reviewer = { userId: user.id, login: user.login };
    const found = await this.database.asViewer(viewer, (tx) =>
      this.details.find(tx, releaseId, { verification: { status, reason }, viewer: reviewer }),
    );
    // The refresh may have found that the milestone was deleted.
    if (!found) throw releaseNotFound();
    const { reviews, eligible } = found.approvals;
    const users = await this.users.list([...reviews, ...(eligible.users ?? [])].map(({ userId }) => userId));
    return { ...found, approvals: toApprovals(found.approvals, users) };
  }

  private async refresh({ viewer, user }: ReleaseReader, releaseId: string): Promise<RefreshStatus> {
    const [status] = await Promise.all([
      this.live.refresh(viewer.orgId, releaseId),
      this.permissions.refresh(viewer.orgId, releaseId, user.login),
    ]);
    return status;
  }
}

/** `users` has those who have signed in. */
function toApprovals(
  { status, reason, observedAt, required, given, reviews, eligible }: ReleaseApprovals,
  users: ReadonlyMap<number, User>,
): ReleaseApprovalsDto {
  const toReviewer = ({ userId, login }: Reviewer) => ({ login, avatarUrl: users.get(userId)?.avatarUrl ?? null });
  return {
    status,
    reason,
    observedAt,
    required,
    given,
    reviews: reviews.map((review) => ({
      ...toReviewer(review),
      userId: review.userId,
      state: review.state,
      commitSha: review.commitSha,
      submittedAt: review.submittedAt,
      counts: review.counts,
      reason: review.reason,
    })),
    eligible: { teams: eligible.teams, users: eligible.users?.map(toReviewer) ?? null },
  };
}
