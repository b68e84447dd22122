import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { LiveRefreshService } from './live-refresh.service.js';
import { type ReleaseDetails, ReleaseDetailsQueries } from './release-details.queries.js';

/** Reads the details of one release as it is now. */
@Injectable()
export class ReleaseDetailsService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly live: LiveRefreshService,
    private readonly details: ReleaseDetailsQueries,
  ) {}

  /** Refreshes the release from GitHub first, up to the deadline. Throws `not_found` if the viewer cannot read it. */
  async read(viewer: Viewer, releaseId: string): Promise<ReleaseDetails> {
    await this.releases.assertReadable(viewer, releaseId);
    const verification = await this.live.refresh(viewer.orgId, releaseId);
    const found = await this.database.asViewer(viewer, (tx) => this.details.find(tx, releaseId, verification));
    // The refresh may have found that the milestone was deleted.
    if (!found) throw releaseNotFound();
    return found;
  }
}
