import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import type { User } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { LiveRefreshService, type RefreshStatus } from './live-refresh.service.js';
import type { ReadMode } from './release-details.dto.js';
import { type ReleaseDetails, ReleaseDetailsQueries } from './release-details.queries.js';
import { ViewerPermissionService } from './viewer-permission.service.js';

/** The member who reads a release. */
type ReleaseReader = Pick<Member, 'viewer' | 'user'>;

/** The details of a release, and by id those of its reviewers who have signed in. */
export interface ReleaseWithUsers extends ReleaseDetails {
  readonly users: ReadonlyMap<number, User>;
}

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
  async read({ viewer, user }: ReleaseReader, releaseId: string, look: ReadMode): Promise<ReleaseWithUsers> {
    await this.releases.assertReadable(viewer, releaseId);
    const verification = look === 'live' ? await this.refresh({ viewer, user }, releaseId) : STORED;
    const reviewer = { userId: user.id, login: user.login };
    const found = await this.database.asViewer(viewer, (tx) =>
      this.details.find(tx, releaseId, { verification, viewer: reviewer }),
    );
    // The refresh may have found that the milestone was deleted.
    if (!found) throw releaseNotFound();
    const { reviews, eligible } = found.approvals;
    const users = await this.users.list([...reviews, ...(eligible.users ?? [])].map(({ userId }) => userId));
    return { ...found, users };
  }

  private async refresh({ viewer, user }: ReleaseReader, releaseId: string): Promise<RefreshStatus> {
    const [status] = await Promise.all([
      this.live.refresh(viewer.orgId, releaseId),
      this.permissions.refresh(viewer.orgId, releaseId, user.login),
    ]);
    return status;
  }
}
