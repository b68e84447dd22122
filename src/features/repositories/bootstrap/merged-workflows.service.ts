import { Injectable } from '@nestjs/common';
import type { PullFact, Sha } from '../../../domain/facts/facts.js';
import { ENFORCE_WORKFLOW, CI_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { WorkflowTemplatesService } from '../workflow-files/workflow-templates.service.js';

/** The managed workflow files of a repository that match a published revision. */
export interface InstalledWorkflows {
  readonly revision: string;
  /** The repository uses its own CI workflow. */
  readonly customCi: boolean;
}

/** Finds the managed workflow files that a merge added. */
@Injectable()
export class MergedWorkflowsService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowTemplatesService,
    private readonly workflowFiles: WorkflowFilesService,
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
