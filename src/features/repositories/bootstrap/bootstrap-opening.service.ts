import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { type RepositoryRef, PersonalToken } from '../../../github/transport/token-scope.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { WorkspacesQueries, type InstallationPermissions } from '../../../workspaces/workspaces.queries.js';
import { patRequired } from '../repositories.errors.js';
import { RepositorySetupsService } from '../setup-state/repository-setups.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { BootstrapGitHubService } from './bootstrap-github.service.js';

/** Opens the pull request of a started bootstrap. The request and the job both call it; the first one does the work. */
@Injectable()
export class BootstrapOpeningService {
  constructor(
    private readonly github: BootstrapGitHubService,
    private readonly setups: RepositorySetupsService,
    private readonly repos: RepositoriesRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly tokens: RepositoryTokensService,
    private readonly database: Database,
  ) {}

  /** Does nothing if the pull request is open or the app cannot access the repository. */
  async openPullRequest(orgId: OrgId, repositoryId: string): Promise<void> {
    const { repository, setup, tier } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      setup: await this.setups.find(tx, repositoryId),
      tier: await this.workspaces.getPermissions(tx),
    }));
    if (setup?.step !== 'opening' || !repository?.ref) return;
    const { ref } = repository;
    const base = await this.github.findBase(ref);
    const plan = await this.github.plan(ref, base);
    if (plan.write.length === 0) {
      // The repository already has all files, byte by byte.
      await this.record(orgId, repositoryId, (tx) => this.setups.markMerged(tx, setup));
      return;
    }
    await this.github.writeBranch(ref, await this.getWriter(orgId, repositoryId, ref, tier), base, plan);
    const { number, url } = await this.github.openPull(ref, base, plan);
    await this.record(orgId, repositoryId, (tx) => this.setups.setPullRequest(tx, setup, { number, url }));
  }

  private async getWriter(
    orgId: OrgId,
    repositoryId: string,
    ref: RepositoryRef,
    { writesWorkflows }: InstallationPermissions,
  ): Promise<RepositoryRef> {
    if (writesWorkflows) return ref;
    const token = await this.tokens.findDecrypted(orgId, repositoryId);
    if (token === null) throw patRequired('workflows');
    return { ...ref, as: new PersonalToken(token) };
  }

  /** Saves the step and enqueues a check, because the pull request may have been merged or closed before it was saved. */
  private async record(
    orgId: OrgId,
    repositoryId: string,
    write: (tx: Parameters<RepositorySetupsService['enqueueContinuation']>[0]) => Promise<boolean>,
  ): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      if (await write(tx)) await this.setups.enqueueContinuation(tx, repositoryId);
    });
  }
}
