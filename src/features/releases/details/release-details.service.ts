import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { VisibleReleases } from '../records/visible-releases.reader.js';
import { LiveLook } from './live-look.service.js';
import type { ReleaseDetails } from './release-details.js';
import { ReleaseDetailsReader } from './release-details.reader.js';

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
