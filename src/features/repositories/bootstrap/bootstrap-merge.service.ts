import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { ProtectionSetup } from '../rulesets/protection-setup.recorder.js';
import type { RepositorySetup } from '../setup-state/repository-setup.js';
import { RepositorySetups } from '../setup-state/repository-setups.reader.js';
import { WorkflowInstallationRecorder } from '../workflow-files/workflow-installation.recorder.js';
import { WorkflowsAtMerge, type InstalledWorkflows } from './workflows-at-merge.service.js';

/** Does what follows from the merge of a bootstrap. */
@Injectable()
export class BootstrapMerge {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowsAtMerge,
    private readonly installations: WorkflowInstallationRecorder,
    private readonly protection: ProtectionSetup,
    private readonly setups: RepositorySetups,
    private readonly audit: AuditRecorder,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Has the workflows that came with it watched from now on, and the branches protected. */
  async settle(orgId: OrgId, repository: GovernedRepository, setup: RepositorySetup): Promise<void> {
    if (!repository.ref) return;
    const mergedAt = this.clock.now();
    const installed = await this.findInstalled(repository.ref, repository.defaultBranch, setup);
    const { id: repositoryId, org, name } = repository;
    await this.database.inTenant(orgId, async (tx) => {
      if ((await this.setups.find(tx, repositoryId))?.step !== 'merged') return;
      if (installed) {
        const { revision, customCi } = installed;
        await this.installations.installed(tx, repositoryId, revision, mergedAt, { customCi });
      }
      await this.protection.request(tx, repositoryId);
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
