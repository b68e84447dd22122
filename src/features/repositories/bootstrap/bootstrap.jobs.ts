import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { type RepositorySetup, RepositorySetupsRepository } from '../setup-state/repository-setups.repository.js';
import { BootstrapCompletionService, BootstrapMerge, BootstrapPulls } from './bootstrap-completion.service.js';
import { BootstrapOpening } from './bootstrap.service.js';

/** Runs the job that continues bootstraps from their current step. */
@Injectable()
export class BootstrapJobs implements OnModuleInit {
  constructor(
    private readonly opening: BootstrapOpening,
    private readonly pulls: BootstrapPulls,
    private readonly merge: BootstrapMerge,
    private readonly completion: BootstrapCompletionService,
    private readonly setups: RepositorySetupsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly database: Database,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('continue-bootstrap', ({ orgId, repositoryId }, { isLastAttempt }) =>
      this.continue(orgId, repositoryId, isLastAttempt),
    );
  }

  async continue(orgId: OrgId, repositoryId: string, isLastAttempt: boolean): Promise<void> {
    const { repository, setup } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      setup: await this.setups.find(tx, repositoryId),
    }));
    if (!repository || !setup) return;
    if (setup.step === 'opening') await this.open(orgId, setup, isLastAttempt);
    if (setup.step === 'pr_open') await this.pulls.follow(orgId, repository, setup);
    if (setup.step === 'merged') await this.merge.complete(orgId, repository, setup);
  }

  /** Closes the bootstrap if GitHub rejects it permanently or the last attempt fails, so that another one can be started. */
  private async open(orgId: OrgId, setup: RepositorySetup, isLastAttempt: boolean): Promise<void> {
    try {
      await this.opening.openPullRequest(orgId, setup.repositoryId);
    } catch (error) {
      const isFinal =
        error instanceof DomainError || (error instanceof GitHubError && (isLastAttempt || !error.isTransient));
      if (!isFinal) throw error;
      await this.completion.close(orgId, setup, error.message);
    }
  }
}
