import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../database/database.js';
import { isUuid } from '../database/ids.js';
import type { RepositoryRef } from '../github/transport/token-scope.js';
import { repositoryNotFound, appNotInstalled } from '../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from './repositories.repository.js';

export type InstalledRepository = Repository & { readonly ref: RepositoryRef };

/** Finds a repository by id for a request of a viewer. */
@Injectable()
export class ReadableRepositoriesService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
  ) {}

  /** Throws `not_found` if the viewer cannot read the repository or if it no longer exists on GitHub. */
  async get(viewer: Viewer, id: string): Promise<Repository> {
    if (!isUuid(id)) throw repositoryNotFound();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.find(tx, id));
    if (!repository || repository.removed) throw repositoryNotFound();
    return repository;
  }

  /** Also throws `conflict` while no installation of the app has access to it. */
  async getInstalled(viewer: Viewer, id: string): Promise<InstalledRepository> {
    const { ref, ...repository } = await this.get(viewer, id);
    if (!ref) throw appNotInstalled();
    return { ...repository, ref };
  }
}
