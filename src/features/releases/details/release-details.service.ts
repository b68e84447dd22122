import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { LiveRefreshService } from './live-refresh.service.js';
import { type ReleaseDetails, ReleaseDetailsQueries } from './release-details.queries.js';

/** Shows one release whole, as it is now. */
@Injectable()
export class ReleaseDetailsService {
  constructor(
    private readonly database: Database,
    private readonly visible: ReleasesQueries,
    private readonly live: LiveRefreshService,
    private readonly details: ReleaseDetailsQueries,
  ) {}

  /** Reads it from GitHub first, for as long as somebody waits; refuses with `not_found` what the viewer may not read. */
  async read(viewer: Viewer, releaseId: string): Promise<ReleaseDetails> {
    await this.visible.assertReadable(viewer, releaseId);
    const verification = await this.live.refresh(viewer.orgId, releaseId);
    const found = await this.database.asViewer(viewer, (tx) => this.details.find(tx, releaseId, verification));
    // The look itself may have found out that the milestone is gone.
    if (!found) throw releaseNotFound();
    return found;
  }
}
