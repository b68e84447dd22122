import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { JobHandler, type JobRun } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { type RepositorySetup, RepositorySetupsService } from '../setup-state/repository-setups.service.js';
import { BootstrapCompletionService } from './bootstrap-completion.service.js';
import { BootstrapMergeService } from './bootstrap-merge.service.js';
import { BootstrapOpeningService } from './bootstrap-opening.service.js';

/** Runs the job that continues bootstraps from their current step. */
@Injectable()
export class BootstrapJobs {
  constructor(
    private readonly opening: BootstrapOpeningService,
    private readonly merge: BootstrapMergeService,
    private readonly completion: BootstrapCompletionService,
    private readonly setups: RepositorySetupsService,
    private readonly repos: RepositoriesRepository,
    private readonly database: Database,
  ) {}

  @JobHandler('continue-bootstrap')
  async continue({ orgId, repositoryId }: JobPayload<'continue-bootstrap'>, { isLastAttempt }: JobRun): Promise<void> {
    const { repository, setup } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      setup: await this.setups.find(tx, repositoryId),
    }));
    if (!repository || !setup) return;
    if (setup.step === 'opening') await this.open(orgId, setup, isLastAttempt);
    if (setup.step === 'pr_open') await this.completion.follow(orgId, repository, setup);
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
