import { Injectable } from '@nestjs/common';
import type { PullFact, Sha } from '../../../domain/facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { PublishedRevisions } from '../workflow-files/published-revisions.reader.js';
import { ManagedWorkflows } from '../workflow-files/workflow-templates.service.js';

/** Of the service's workflows, those that lie in a repository as they were published once. */
export interface InstalledWorkflows {
  readonly revision: string;
  /** The repository's CI is none of the service's. */
  readonly customCi: boolean;
}

/** Tells which of the service's workflows a merge brought. */
@Injectable()
export class WorkflowsAtMerge {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: ManagedWorkflows,
    private readonly published: PublishedRevisions,
  ) {}

  /**
   * What lies on the default branch since the merge; null where no enforcement does, as after a merge into another branch.
   * It is read at the merge itself where it can be: the branch may have gone on.
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
    const published = file && (await this.published.find(null, path, file.blobSha));
    return published && { blobSha: file.blobSha, revision: published.revision };
  }

  private isCurrent(blobSha: Sha): boolean {
    return this.workflows.files().some((file) => file.blobSha === blobSha);
  }
}
