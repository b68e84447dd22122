import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { BOOTSTRAP_BRANCH } from '../../domain/repository/managed-files.js';
import { ProtectionStateService } from '../repositories/rulesets/protection-state.service.js';
import { RepositorySetupsRepository } from '../repositories/setup-state/repository-setups.repository.js';
import { TamperingDetectionService } from '../repositories/tampering/tampering-detection.service.js';
import { WorkflowUpdatesRepository } from '../repositories/workflow-files/workflow-updates.repository.js';

/** Looks after what the service has put into a repository: its pull requests, its workflow files, its rules for branches. */
@Injectable()
export class RepositoryFollowUpService {
  constructor(
    private readonly database: Database,
    private readonly bootstraps: RepositorySetupsRepository,
    private readonly workflowUpdates: WorkflowUpdatesRepository,
    private readonly watch: TamperingDetectionService,
    private readonly protection: ProtectionStateService,
  ) {}

  /** All of it, after the repository was read. */
  async afterSync(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.afterRulesChanged(orgId, repositoryId);
    await this.afterPush(orgId, repositoryId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.bootstraps.enqueueContinuation(tx, repositoryId);
      await this.workflowUpdates.enqueueCompletion(tx, repositoryId);
    });
  }

  /** After a pull request from `branch`, one of the service's own, was said to have changed. */
  async afterPull(orgId: OrgId, repositoryId: string, branch: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) =>
      branch === BOOTSTRAP_BRANCH
        ? this.bootstraps.enqueueContinuation(tx, repositoryId)
        : this.workflowUpdates.enqueueCompletionAfterChange(tx, repositoryId),
    );
  }

  /** Looks at the workflow files at once: until that is done no gate opens that rests on a branch which moved. */
  async afterPush(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.watch.check(orgId, repositoryId);
  }

  /** After the rules of GitHub for its branches, or what the policy asks of them, may have changed. */
  async afterRulesChanged(orgId: OrgId, repositoryId: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) => this.protection.enqueueCheck(tx, repositoryId));
  }
}
