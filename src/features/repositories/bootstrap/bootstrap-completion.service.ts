import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { PullFact } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { RepositoryQuotaService } from '../../../workspaces/repository-quota.service.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { RepositorySetupsService, type RepositorySetup } from '../setup-state/repository-setups.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { MergedWorkflowsService } from './merged-workflows.service.js';

/** Follows the pull requests of bootstraps, and closes bootstraps that failed. */
@Injectable()
export class BootstrapCompletionService {
  constructor(
    private readonly setups: RepositorySetupsService,
    private readonly quota: RepositoryQuotaService,
    private readonly tokens: RepositoryTokensService,
    private readonly audit: AuditLogService,
    private readonly repos: RepositoriesRepository,
    private readonly github: GitHubGateway,
    private readonly workflows: MergedWorkflowsService,
    private readonly database: Database,
  ) {}

  /**
   * Closes the bootstrap, releases its place in the quota and deletes its token, so that another one can start. Does nothing if
   * the bootstrap has changed since `setup` was read.
   */
  async close(orgId: OrgId, setup: RepositorySetup, detail: string): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      const { repositoryId } = setup;
      const repository = await this.repos.find(tx, repositoryId);
      const closed = await this.setups.markClosed(tx, setup, detail);
      if (!repository || !closed) return;
      if (closed.tookPlace) await this.quota.release(tx, repositoryId);
      await this.tokens.delete(tx, repositoryId);
      await this.audit.append(tx, {
        actor: { type: 'service' },
        action: 'bootstrap.closed',
        subject: `${repository.org}/${repository.name}`,
        data: { repositoryId, pullNumber: setup.pull?.number ?? null, detail },
        repositoryIds: [repositoryId],
      });
    });
  }

  /** Reads the state of the pull request from GitHub, because deliveries are not trusted. */
  async follow(orgId: OrgId, repository: Repository, setup: RepositorySetup): Promise<void> {
    const { ref, id: repositoryId } = repository;
    if (!ref || !setup.pull) return;
    const { value: pull } = await this.github.pulls.find(ref, setup.pull.number);
    if (pull?.state === 'open') {
      // A repository that was removed from the installation and added again has lost its place in the quota.
      if (!repository.managed) await this.database.inTenant(orgId, (tx) => this.quota.reserve(tx, repositoryId));
      return;
    }
    const reason = pull?.state === 'merged' ? await this.findMergeProblem(ref, pull) : 'Its pull request was closed.';
    if (reason !== null) {
      await this.close(orgId, setup, reason);
      return;
    }
    await this.database.inTenant(orgId, async (tx) => {
      if (await this.setups.markMerged(tx, setup)) await this.setups.enqueueContinuation(tx, repositoryId);
    });
  }

  /** Returns why the merge did not set up the repository; null if it did. */
  private async findMergeProblem(ref: RepositoryRef, pull: PullFact): Promise<string | null> {
    const { value: repository } = await this.github.repositories.find(ref);
    const branch = repository?.defaultBranch ?? pull.baseRef;
    if ((await this.workflows.find(ref, branch, pull)) !== null) return null;
    return `Its pull request was merged into ${pull.baseRef}, but the enforcement workflow is not on ${branch}.`;
  }
}
