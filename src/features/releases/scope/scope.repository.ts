import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { releaseNotFound, appNotInstalled } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';

/** The parts of a release that its scope depends on. */
export interface ScopedRelease {
  readonly id: string;
  readonly version: string;
  readonly milestoneNumber: number;
  readonly milestoneGithubId: number;
  readonly shipped: boolean;
  readonly cancelled: boolean;
  readonly repository: Repository & { readonly ref: RepositoryRef };
}

/** Finds the release whose scope is to be changed. */
@Injectable()
export class ScopeRepository {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
  ) {}

  /**
   * Throws `not_found` if there is no such release or the user cannot read its repository, and `conflict` if the app cannot reach
   * the repository.
   */
  async getRelease(viewer: Viewer, id: string): Promise<ScopedRelease> {
    if (!isUuid(id)) throw releaseNotFound();
    return this.database.asViewer(viewer, async (tx) => {
      const [row] = await tx.query<Omit<ScopedRelease, 'repository'> & { readonly repositoryId: string }>(
        `select id, repository_id as "repositoryId", version, milestone_number as "milestoneNumber",
           milestone_github_id::float8 as "milestoneGithubId", shipped_at is not null as shipped,
           cancelled_at is not null as cancelled
         from release where id = $1 and deleted_at is null`,
        [id],
      );
      const repository = row && (await this.repos.find(tx, row.repositoryId));
      if (!repository) throw releaseNotFound();
      if (!repository.ref) throw appNotInstalled();
      const { repositoryId: _, ...release } = row;
      return { ...release, repository: { ...repository, ref: repository.ref } };
    });
  }
}
