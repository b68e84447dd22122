import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/domain-error.js';
import { VisibleReleases } from '../records/releases.queries.js';
import { LiveLook } from './live-refresh.service.js';
import { type ReleaseDetails, ReleaseDetailsReader } from './release-details.queries.js';

/** Shows one release whole, as it is now. */
@Injectable()
export class ReleaseView {
  constructor(
    private readonly database: Database,
    private readonly visible: VisibleReleases,
    private readonly live: LiveLook,
    private readonly details: ReleaseDetailsReader,
  ) {}

  /** Reads it from GitHub first, for as long as somebody waits; refuses with `not_found` what the viewer may not read. */
  async read(viewer: Viewer, releaseId: string): Promise<ReleaseDetails> {
    await this.visible.require(viewer, releaseId);
    const verification = await this.live.look(viewer.orgId, releaseId);
    const found = await this.database.asViewer(viewer, (tx) => this.details.find(tx, releaseId, verification));
    // The look itself may have found out that the milestone is gone.
    if (!found) throw noSuchRelease();
    return found;
  }
}
