import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { InstallationTiers } from '../../../workspaces/installation-tiers.reader.js';
import { ViewedRepositories } from '../../../workspaces/readable-repositories.service.js';
import { WorkflowInstallations } from './workflow-installation.reader.js';

/** A repository that the app reaches, as far as it matters to its workflow files. */
export interface UpdatableRepository {
  readonly repository: GovernedRepository;
  readonly ref: RepositoryRef;
  /** Whether the app itself may write workflow files. */
  readonly appMayWrite: boolean;
  /** Whether the service ever installed its own there. */
  readonly wasInstalled: boolean;
}

/** Finds the repository whose workflow files somebody asks about. */
@Injectable()
export class UpdatableRepositories {
  constructor(
    private readonly database: Database,
    private readonly viewed: ViewedRepositories,
    private readonly tiers: InstallationTiers,
    private readonly installations: WorkflowInstallations,
  ) {}

  /** Refuses what the member may not read, and what the app does not reach. */
  async get({ orgId, viewer }: Member, id: string): Promise<UpdatableRepository> {
    const repository = await this.viewed.getReached(viewer, id);
    return this.database.inTenant(orgId, async (tx) => ({
      repository,
      ref: repository.ref,
      appMayWrite: (await this.tiers.of(tx)).writesWorkflows,
      wasInstalled: (await this.installations.find(tx, id)) !== null,
    }));
  }
}
