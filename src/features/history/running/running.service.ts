import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { repositoryNotFound } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import type { LocatedRunningArtifactDto, RunningArtifactDto, RunningFilter } from './running.dto.js';
import { RunningArtifactsQueries } from './running-artifacts.queries.js';

/** Lists what runs, and whether it may. */
@Injectable()
export class RunningService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly artifacts: RunningArtifactsQueries,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` if the viewer can read no such repository. */
  async list(viewer: Viewer, repo: string, environment: string): Promise<readonly RunningArtifactDto[]> {
    return this.database.readOnlyAsViewer(viewer, async (tx) => {
      const repository = await this.repos.findByName(tx, repo);
      if (!repository) throw repositoryNotFound();
      return this.artifacts.list(tx, repository.id, environment, this.clock.now());
    });
  }

  async readPage(viewer: Viewer, filter: RunningFilter, page: PageRequest): Promise<Page<LocatedRunningArtifactDto>> {
    return this.database.readOnlyAsViewer(viewer, (tx) => this.artifacts.readPage(tx, filter, page, this.clock.now()));
  }
}
