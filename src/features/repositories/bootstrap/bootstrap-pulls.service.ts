import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { PullFact } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { PlanRoom } from '../../../workspaces/repository-quota.repository.js';
import { BootstrapPursuits } from '../setup-state/bootstrap-pursuits.recorder.js';
import { BootstrapsRepository } from '../setup-state/bootstraps.repository.js';
import type { RepositorySetup } from '../setup-state/repository-setup.js';
import { BootstrapClosure } from './bootstrap-closure.service.js';
import { WorkflowsAtMerge } from './workflows-at-merge.service.js';

/** Follows what becomes of the pull requests of bootstraps. What a delivery said of them is not asked. */
@Injectable()
export class BootstrapPulls {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowsAtMerge,
    private readonly bootstraps: BootstrapsRepository,
    private readonly closure: BootstrapClosure,
    private readonly pursuits: BootstrapPursuits,
    private readonly room: PlanRoom,
    private readonly database: Database,
  ) {}

  async follow(orgId: OrgId, repository: GovernedRepository, setup: RepositorySetup): Promise<void> {
    const { ref, id: repositoryId } = repository;
    if (!ref || !setup.pull) return;
    const { value: pull } = await this.github.pulls.find(ref, setup.pull.number);
    if (pull?.state === 'open') {
      // A repository that was taken from the installation and given back lost its place meanwhile.
      if (!repository.managed) await this.database.inTenant(orgId, (tx) => this.room.take(tx, repositoryId));
      return;
    }
    const reason = pull?.state === 'merged' ? await this.findMisled(ref, pull) : 'Its pull request was closed.';
    if (reason !== null) {
      await this.closure.close(orgId, setup, reason);
      return;
    }
    await this.database.inTenant(orgId, async (tx) => {
      if (await this.bootstraps.merged(tx, setup)) await this.pursuits.askFor(tx, repositoryId);
    });
  }

  /** Why the merge set nothing up; null where it did. */
  private async findMisled(ref: RepositoryRef, pull: PullFact): Promise<string | null> {
    const { value: repository } = await this.github.repositories.find(ref);
    const branch = repository?.defaultBranch ?? pull.baseRef;
    if ((await this.workflows.find(ref, branch, pull)) !== null) return null;
    return `Its pull request was merged into ${pull.baseRef}, and the enforcement workflow is not on ${branch}.`;
  }
}
