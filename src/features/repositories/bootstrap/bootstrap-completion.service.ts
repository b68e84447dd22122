import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { PullFact, Sha } from '../../../domain/facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { RepositoryQuotaRepository } from '../../../workspaces/repository-quota.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { ProtectionStateService } from '../rulesets/protection-state.service.js';
import { RepositorySetupsRepository, type RepositorySetup } from '../setup-state/repository-setups.repository.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { WorkflowFilesRepository } from '../workflow-files/workflow-files.repository.js';
import { WorkflowTemplatesService } from '../workflow-files/workflow-templates.service.js';

/** Closes bootstraps that failed. */
@Injectable()
export class BootstrapCompletionService {
  constructor(
    private readonly setups: RepositorySetupsRepository,
    private readonly quota: RepositoryQuotaRepository,
    private readonly tokens: RepositoryTokensService,
    private readonly audit: AuditRepository,
    private readonly repos: RepositoriesRepository,
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
}

/** The managed workflow files of a repository that match a published revision. */
export interface InstalledWorkflows {
  readonly revision: string;
  /** The repository uses its own CI workflow. */
  readonly customCi: boolean;
}

/** Finds the managed workflow files that a merge added. */
@Injectable()
export class WorkflowsAtMerge {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowTemplatesService,
    private readonly workflowFiles: WorkflowFilesRepository,
  ) {}

  /**
   * Returns the workflow files on the default branch after the merge; null if the enforcement workflow is missing, for example
   * after a merge into another branch. Reads the merge commit if possible, because the branch may have moved since.
   */
  async find(ref: RepositoryRef, defaultBranch: string, pull: PullFact | null): Promise<InstalledWorkflows | null> {
    const gitRef = pull?.baseRef === defaultBranch ? (pull.mergeCommitSha ?? defaultBranch) : defaultBranch;
    const enforcement = await this.findPublished(ref, ENFORCE_WORKFLOW, gitRef);
    if (enforcement === null) return null;
    const ci = await this.findPublished(ref, CI_WORKFLOW, gitRef);
    const isCurrent = [enforcement, ci].every((found) => found === null || this.isCurrent(found.blobSha));
    return { revision: isCurrent ? this.workflows.revision : enforcement.revision, customCi: ci === null };
  }

  private async findPublished(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
  ): Promise<{ readonly blobSha: Sha; readonly revision: string } | null> {
    const { value: file } = await this.github.repositories.file(ref, path, gitRef);
    const published = file && (await this.workflowFiles.findPublishedRevision(null, path, file.blobSha));
    return published && { blobSha: file.blobSha, revision: published.revision };
  }

  private isCurrent(blobSha: Sha): boolean {
    return this.workflows.files().some((file) => file.blobSha === blobSha);
  }
}

/** Completes bootstraps after their merge. */
@Injectable()
export class BootstrapMerge {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowsAtMerge,
    private readonly workflowFiles: WorkflowFilesRepository,
    private readonly protection: ProtectionStateService,
    private readonly setups: RepositorySetupsRepository,
    private readonly audit: AuditRepository,
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

/** Reads the state of bootstrap pull requests from GitHub. Deliveries are not trusted. */
@Injectable()
export class BootstrapPulls {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowsAtMerge,
    private readonly setups: RepositorySetupsRepository,
    private readonly completion: BootstrapCompletionService,
    private readonly quota: RepositoryQuotaRepository,
    private readonly database: Database,
  ) {}

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
      await this.completion.close(orgId, setup, reason);
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
