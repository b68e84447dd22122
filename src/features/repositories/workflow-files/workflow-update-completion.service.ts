import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import { decideWorkflowUpdate, hasCustomCi } from '../../../domain/repository/workflow-update.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';
import { WorkflowUpdatesGitHubService } from './workflow-updates-github.service.js';
import { type MergedWorkflows, WorkflowUpdateRecordsService } from './workflow-update-records.service.js';

/** Completes workflow updates after their pull requests were merged or closed. */
@Injectable()
export class WorkflowUpdateCompletionService {
  constructor(
    private readonly updates: WorkflowUpdateRecordsService,
    private readonly repos: RepositoriesRepository,
    private readonly github: WorkflowUpdatesGitHubService,
    private readonly workflows: WorkflowTemplatesService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Reads the pull request and the files from GitHub. The content of the delivery is not trusted. */
  @JobHandler('complete-workflow-update')
  async complete({ orgId, repositoryId }: JobPayload<'complete-workflow-update'>): Promise<void> {
    const { update, repository } = await this.database.inTenant(orgId, async (tx) => ({
      update: await this.updates.find(tx, repositoryId),
      repository: await this.repos.find(tx, repositoryId),
    }));
    if (!repository?.ref) return;
    const { ref } = repository;
    const pull = update && (await this.github.findPull(ref, update.number));
    if (pull?.state === 'open') return;
    if (update !== null && pull?.state !== 'merged') {
      await this.database.inTenant(orgId, (tx) => this.updates.recordClosed(tx, repository, update.number));
      return;
    }
    const installed = await this.findInstalled(ref);
    await this.database.inTenant(orgId, (tx) =>
      update === null
        ? this.updates.recordFound(tx, repository, installed)
        : this.updates.recordMerged(tx, repository, update.number, installed),
    );
  }

  private async findInstalled(ref: RepositoryRef): Promise<MergedWorkflows> {
    const observedAt = this.clock.now();
    const present = await this.github.findPresent(ref);
    const target = { revision: this.workflows.revision, files: this.workflows.files() };
    const { installedRevision } = decideWorkflowUpdate({ target, present, branch: null, pull: 'none', mayWrite: true });
    return { revision: installedRevision, customCi: hasCustomCi(present), observedAt };
  }
}
