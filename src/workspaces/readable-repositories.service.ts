import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../database/database.js';
import { isUuid } from '../database/ids.js';
import type { RepositoryRef } from '../github/transport/token-scope.js';
import { noSuchRepository, notReached } from '../http/errors/domain-error.js';
import { type GovernedRepository, ReposReader } from './repositories.repository.js';

export type ReachedRepository = GovernedRepository & { readonly ref: RepositoryRef };

/** Finds the repository that somebody asks about by its id. */
@Injectable()
export class ViewedRepositories {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
  ) {}

  /** Refuses with `not_found` what the viewer may not read, and what the host has no more. */
  async get(viewer: Viewer, id: string): Promise<GovernedRepository> {
    if (!isUuid(id)) throw noSuchRepository();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.find(tx, id));
    if (!repository || repository.removed) throw noSuchRepository();
    return repository;
  }

  /** Refuses with `conflict`, too, while no installation of the app reaches it. */
  async getReached(viewer: Viewer, id: string): Promise<ReachedRepository> {
    const { ref, ...repository } = await this.get(viewer, id);
    if (!ref) throw notReached();
    return { ...repository, ref };
  }
}
