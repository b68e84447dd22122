import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ProtectionStateService } from '../rulesets/protection-state.service.js';
import { RepositorySetupsService, type RepositorySetup } from '../setup-state/repository-setups.service.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { MergedWorkflowsService, InstalledWorkflows } from './merged-workflows.service.js';

/** Completes bootstraps after their merge. */
@Injectable()
export class BootstrapMergeService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: MergedWorkflowsService,
    private readonly workflowFiles: WorkflowFilesService,
    private readonly protection: ProtectionStateService,
    private readonly setups: RepositorySetupsService,
    private readonly audit: AuditLogService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Saves the installed workflow files, which are watched from now on, and enqueues the branch protection. */
  async complete(orgId: OrgId, repository: Repository, setup: RepositorySetup): Promise<void> {
    if (!repository.ref) return;
    const mergedAt = this.clock.now();
    const installed = await this.findInstalled(repository.ref, repository.defaultBranch, setup);
    const { id: repositoryId, org, name } = repository;
    await this.database.inTenant(orgId, async (tx) => {
      if ((await this.setups.find(tx, repositoryId))?.step !== 'merged') return;
      if (installed) {
        const { revision, customCi } = installed;
        await this.workflowFiles.saveInstallation(tx, repositoryId, revision, mergedAt, { customCi });
      }
      await this.protection.enqueueApply(tx, repositoryId);
      await this.audit.append(tx, {
        actor: { type: 'service' },
        action: 'bootstrap.merged',
        subject: `${org}/${name}`,
        data: { repositoryId, pullNumber: setup.pull?.number ?? null, revision: installed?.revision ?? null },
        repositoryIds: [repositoryId],
      });
    });
  }

  private async findInstalled(
    ref: RepositoryRef,
    defaultBranch: string,
    { pull }: RepositorySetup,
  ): Promise<InstalledWorkflows | null> {
    const merged = pull && (await this.github.pulls.find(ref, pull.number)).value;
    return this.workflows.find(ref, defaultBranch, merged);
  }
}
