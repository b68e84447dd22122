import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { notReached } from '../../../http/errors/repository-refusal.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';

/** A release as far as its scope goes. */
export interface ScopedRelease {
  readonly id: string;
  readonly version: string;
  readonly milestoneNumber: number;
  readonly milestoneGithubId: number;
  readonly shipped: boolean;
  readonly cancelled: boolean;
  readonly repository: GovernedRepository & { readonly ref: RepositoryRef };
}

interface ReleaseRow {
  readonly repository_id: string;
  readonly version: string;
  readonly milestone_number: number;
  readonly milestone_github_id: string;
  readonly shipped: boolean;
  readonly cancelled: boolean;
}

/** Tells of a release what its scope is on GitHub. */
@Injectable()
export class ScopedReleases {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
  ) {}

  /**
   * Throws `not_found` for what is no release, another workspace's, or of a repository that the person may not read, and
   * `conflict` where the app does not reach it.
   */
  async require(viewer: Viewer, id: string): Promise<ScopedRelease> {
    if (!isUuid(id)) throw noSuchRelease();
    return this.database.asViewer(viewer, async (tx) => {
      const [row] = await tx.query<ReleaseRow>(
        `select repository_id, version, milestone_number, milestone_github_id, shipped_at is not null as shipped,
           cancelled_at is not null as cancelled
         from release where id = $1 and deleted_at is null`,
        [id],
      );
      const repository = row && (await this.repos.find(tx, row.repository_id));
      if (!repository) throw noSuchRelease();
      if (!repository.ref) throw notReached();
      return {
        id,
        version: row.version,
        milestoneNumber: row.milestone_number,
        milestoneGithubId: Number(row.milestone_github_id),
        shipped: row.shipped,
        cancelled: row.cancelled,
        repository: { ...repository, ref: repository.ref },
      };
    });
  }
}
