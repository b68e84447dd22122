import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';

/** Which releases a person may know of. */
@Injectable()
export class VisibleReleases {
  constructor(private readonly database: Database) {}

  /** Throws `not_found` for what is no release, another workspace's, or of a repository that the person may not read. */
  async require(viewer: Viewer, id: string): Promise<void> {
    const found =
      isUuid(id) &&
      (await this.database.asViewer(viewer, (tx) =>
        tx.query(`select from release where id = $1 and deleted_at is null`, [id]),
      ));
    if (!found || found.length === 0) throw noSuchRelease();
  }
}
