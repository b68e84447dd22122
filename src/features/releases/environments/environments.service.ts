import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { listEnvironments } from '../../../domain/policy/environments.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { EnvironmentDeploymentsQueries } from './environment-deployments.queries.js';
import { toEnvironments } from './release-environments.js';
import type { ReleaseDeploymentDto, RepositoryEnvironmentsDto } from './environments.dto.js';
import { ReleaseDeploymentsQueries } from './release-deployments.queries.js';

/** Lists what is deployed, by stored facts. */
@Injectable()
export class EnvironmentsService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly environments: EnvironmentDeploymentsQueries,
    private readonly deployments: ReleaseDeploymentsQueries,
    private readonly clock: Clock,
  ) {}

  /** Reads a page of the repositories that the viewer can see, with what is deployed to their environments. */
  async listOfRepositories(
    viewer: Viewer,
    search: string | null,
    page: PageRequest,
  ): Promise<Page<RepositoryEnvironmentsDto>> {
    return this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { items, total } = await this.environments.listRepositories(tx, search, page);
      const names = items.flatMap(({ policy }) => listEnvironments(policy).map(({ name }) => name.toLowerCase()));
      const ids = items.map(({ repoId }) => repoId);
      const known = await this.environments.find(tx, ids, [...new Set(names)], this.clock.now());
      return {
        items: items.map(({ policy, ...repository }) => ({
          ...repository,
          environments: toEnvironments(policy, repository.repoId, known),
        })),
        total,
      };
    });
  }

  /** Reads a page of the deployments of a release, latest first. Throws `not_found` if the viewer cannot read the release. */
  async listOfRelease(viewer: Viewer, releaseId: string, page: PageRequest): Promise<Page<ReleaseDeploymentDto>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.readOnlyAsViewer(viewer, (tx) =>
      this.deployments.readPage(tx, releaseId, page, this.clock.now()),
    );
  }
}
