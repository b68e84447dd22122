import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { type Repository, RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';

/** The part of an installation that a delivery is about, by GitHub's ids. */
export interface DeliveryScope {
  readonly installationId: number;
  readonly repositoryId: number | null;
  readonly wholeOrganization: boolean;
  /** The ids of repositories that were added to the installation or removed from it. */
  readonly reached: readonly number[];
}

/** The repositories of one workspace that a delivery is about. */
export interface AffectedRepositories {
  readonly orgId: OrgId;
  readonly repositories: readonly Repository[];
}

/** Finds the workspace and the repositories that a delivery is about. */
@Injectable()
export class AffectedRepositoriesQueries {
  constructor(
    private readonly workspaces: WorkspacesQueries,
    private readonly repos: RepositoriesRepository,
    private readonly database: Database,
  ) {}

  /** Returns null if the workspace or the repository of the delivery is unknown. */
  async find({
    installationId,
    repositoryId,
    wholeOrganization,
    reached,
  }: DeliveryScope): Promise<AffectedRepositories | null> {
    const orgId = await this.workspaces.findByInstallation(installationId);
    if (orgId === null) return null;
    return this.database.inTenant(orgId, async (tx) => {
      if (wholeOrganization) return { orgId, repositories: await this.repos.list(tx) };
      if (repositoryId === null) {
        const known = [];
        for (const id of reached) known.push(await this.repos.findByGithubId(tx, id));
        return { orgId, repositories: known.filter((repository) => repository !== null) };
      }
      const found = await this.repos.findByGithubId(tx, repositoryId);
      return found && !found.removed ? { orgId, repositories: [found] } : null;
    });
  }
}
