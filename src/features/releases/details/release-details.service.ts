import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { LiveRefreshService } from './live-refresh.service.js';
import type { ReadMode } from './release-details.dto.js';
import { type ReleaseDetails, ReleaseDetailsQueries } from './release-details.queries.js';

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
    private readonly details: ReleaseDetailsQueries,
  ) {}

  /**
   * A live read refreshes the release from GitHub first, up to the deadline. A stored read causes no call to GitHub, now or later.
   * Throws `not_found` if the viewer cannot read the release.
   */
  async read(viewer: Viewer, releaseId: string, look: ReadMode): Promise<ReleaseDetails> {
    await this.releases.assertReadable(viewer, releaseId);
    const verification = look === 'live' ? await this.live.refresh(viewer.orgId, releaseId) : STORED;
    const found = await this.database.asViewer(viewer, (tx) => this.details.find(tx, releaseId, verification));
    // The refresh may have found that the milestone was deleted.
    if (!found) throw releaseNotFound();
    return found;
  }
}
