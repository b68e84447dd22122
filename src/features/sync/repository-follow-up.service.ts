import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { BOOTSTRAP_BRANCH } from '../../domain/repository/managed-files.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { ProtectionRulesRepository } from '../repositories/protection-rule/protection-rules.repository.js';
import { ProtectionStateService } from '../repositories/rulesets/protection-state.service.js';
import { RepositorySetupsService } from '../repositories/setup-state/repository-setups.service.js';
import { TamperingDetectionService } from '../repositories/tampering/tampering-detection.service.js';
import { WorkflowUpdateRecordsService } from '../repositories/workflow-files/workflow-update-records.service.js';

/** Checks the pull requests, workflow files and rulesets of the service in a repository after changes. */
@Injectable()
export class RepositoryFollowUpService {
  constructor(
    private readonly database: Database,
    private readonly bootstraps: RepositorySetupsService,
    private readonly workflowUpdates: WorkflowUpdateRecordsService,
    private readonly watch: TamperingDetectionService,
    private readonly protection: ProtectionStateService,
    private readonly rules: ProtectionRulesRepository,
    private readonly jobs: JobsService,
  ) {}

  /** Runs all checks after a sync. */
  async afterSync(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.afterRulesChanged(orgId, repositoryId);
    await this.afterPush(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.bootstraps.enqueueContinuation(tx, repositoryId);
      await this.workflowUpdates.enqueueCompletion(tx, repositoryId);
      if (await this.rules.wasEnabled(tx, repositoryId)) {
        await this.jobs.enqueue(tx, 'check-protection-rule', { orgId, repositoryId });
      }
    });
  }

  /** Checks a changed pull request of the service, identified by its branch. */
  async afterPull(orgId: OrgId, repositoryId: string, branch: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) =>
      branch === BOOTSTRAP_BRANCH
        ? this.bootstraps.enqueueContinuation(tx, repositoryId)
        : this.workflowUpdates.enqueueCompletionAfterChange(tx, repositoryId),
    );
  }

  /** Checks the workflow files immediately. Until then no gate that depends on a moved branch opens. */
  async afterPush(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.watch.check(orgId, repositoryId);
  }

  /** Enqueues a check of the rulesets after a change of the branch rules or the policy. */
  async afterRulesChanged(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) => this.protection.enqueueCheck(tx, repositoryId));
  }
}
