import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { InstallationTiers } from '../../workspaces/installation-tiers.reader.js';
import { noSuchRepository, notReached } from '../../http/repository-refusal.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
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
    private readonly repos: ReposReader,
    private readonly tiers: InstallationTiers,
    private readonly installations: WorkflowInstallations,
  ) {}

  /** Refuses what the member may not read, and what the app does not reach. */
  async get({ orgId, viewer }: Member, id: string): Promise<UpdatableRepository> {
    if (!isUuid(id)) throw noSuchRepository();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.find(tx, id));
    if (!repository || repository.removed) throw noSuchRepository();
    const { ref } = repository;
    if (!ref) throw notReached();
    return this.database.inTenant(orgId, async (tx) => ({
      repository,
      ref,
      appMayWrite: (await this.tiers.of(tx)).writesWorkflows,
      wasInstalled: (await this.installations.find(tx, id)) !== null,
    }));
  }
}
