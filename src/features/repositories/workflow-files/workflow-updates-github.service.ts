import { Injectable } from '@nestjs/common';
import type { CiAction } from '../../../config/value-parsers.js';
import type { Sha } from '../../../domain/facts/facts.js';
import {
  CI_WORKFLOW,
  ENFORCE_WORKFLOW,
  POLICY_FILE,
  WORKFLOW_UPDATE_PREFIX,
} from '../../../domain/repository/managed-files.js';
import type { ExistingWorkflow, WorkflowUpdateFacts } from '../../../domain/repository/workflow-update.js';
import type { OpenPullRequest } from '../../../github/api/pull-requests.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { WorkflowFilesService } from './workflow-files.service.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';

const UPDATE_TITLE = 'Update the workflows of Shipgate';

const updateMessage = (revision: string): string => `${UPDATE_TITLE}\n\nRevision: ${revision}`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and is the deploy gate as a job that a deploy workflow needs`,
};

interface UpdateContent {
  readonly files: readonly string[];
  readonly revision: string;
  readonly installedRevision: string | null;
  readonly customCi: boolean;
  /** The action that the files use; null if they have only shell scripts and actions of GitHub. */
  readonly action: CiAction | null;
}

/** Builds the notes for readers about the action that the files run. */
const actionLines = ({ repository, commit, version }: CiAction): readonly Markdown[] => [
  gfm`The files use the actions of ${repository} at the commit ${commit} (${version}) in place of shell scripts.`,
  gfm`The job that uploads evidence does not need the permission issues: read any more.`,
  gfm`If the organization allows only selected actions, allow these first: without them the runs fail, and the gate stays closed.`,
  gfm``,
];

/** Builds the description of the pull request: the replaced files and the unchanged ones. */
export const updateBody = ({ files, revision, installedRevision, customCi, action }: UpdateContent): Markdown =>
  lines([
    gfm`This pull request updates the workflow files that Shipgate manages to the newest revision:`,
    gfm``,
    ...files.map((path) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`a file of Shipgate`}`),
    ...(customCi ? [gfm`- ${CI_WORKFLOW} is not changed, because the repository uses its own CI`] : []),
    gfm``,
    ...(action === null ? [] : actionLines(action)),
    gfm`Nothing else changes. ${POLICY_FILE}, the rulesets and the state of the set-up stay the same.`,
    gfm`Do not add commits. The merged files must be exactly the published ones. Otherwise the merge counts as tampering.`,
    gfm``,
    gfm`Revision ${revision}, after ${installedRevision ?? gfm`files of an unknown revision`}.`,
  ]);

/** The workflow files of a repository and the pull requests that update them, as read from GitHub. */
export interface WorkflowsOnGitHub extends Pick<WorkflowUpdateFacts, 'present' | 'branch' | 'pull'> {
  readonly baseRef: string;
  /** Null if the repository has no commit. */
  readonly baseSha: Sha | null;
  readonly branchSha: Sha | null;
  /** The open pull request of the update branch, regardless of its author. */
  readonly opened: OpenedPull | null;
  /** The open pull requests of the service for other revisions. */
  readonly superseded: readonly number[];
}

export interface OpenedPull {
  readonly number: number;
  readonly url: string;
}

/** Reads the workflow files of a repository and writes the branch and the pull request of an update. */
@Injectable()
export class WorkflowUpdatesGitHubService {
  /** Constant per revision, so that a concurrent attempt finds the existing branch. */
  readonly branch: string;

  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowTemplatesService,
    private readonly workflowFiles: WorkflowFilesService,
  ) {
    this.branch = `${WORKFLOW_UPDATE_PREFIX}${workflows.revision}`;
  }

  async read(ref: RepositoryRef): Promise<WorkflowsOnGitHub> {
    const { baseRef, baseSha } = await this.findBase(ref);
    const branchSha = await this.github.branches.findHead(ref, this.branch);
    const compared = baseSha && branchSha && (await this.github.commits.compare(ref, baseSha, branchSha));
    const { ofBranch, superseded } = await this.openPulls(ref, baseRef);
    return {
      baseRef,
      baseSha,
      present: baseSha === null ? [] : await this.workflowsAt(ref, baseSha),
      branchSha,
      branch: compared ? compared.value : null,
      pull: ofBranch === null ? 'none' : ofBranch.isOwn ? 'own' : 'foreign',
      opened: ofBranch && (await this.findPull(ref, ofBranch.number)),
      superseded,
    };
  }

  /** Returns the files at the managed paths of the default branch. */
  async findPresent(ref: RepositoryRef): Promise<readonly ExistingWorkflow[]> {
    const { baseSha } = await this.findBase(ref);
    return baseSha === null ? [] : this.workflowsAt(ref, baseSha);
  }

  /** Creates the commit with these files and points the branch to it. */
  async writeBranch(
    writer: RepositoryRef,
    { baseSha, branchSha }: WorkflowsOnGitHub,
    paths: readonly string[],
  ): Promise<void> {
    if (baseSha === null) throw new GitHubError('invalid', 'the repository has no commit');
    const files = this.workflows.files().filter(({ path }) => paths.includes(path));
    const message = updateMessage(this.workflows.revision);
    const { sha } = await this.github.commits.create(writer, { baseSha, files, message });
    if (branchSha === null) await this.github.branches.create(writer, this.branch, sha);
    else await this.github.branches.forceUpdate(writer, this.branch, sha);
  }

  /** Opens the pull request of the branch. Throws a `conflict` of GitHub if there is one. */
  async openPull(ref: RepositoryRef, baseRef: string, body: Markdown): Promise<OpenedPull> {
    const { number, url } = await this.github.pulls.open(ref, {
      title: UPDATE_TITLE,
      head: this.branch,
      base: baseRef,
      body,
    });
    return { number, url };
  }

  /** Updates the description of the open pull request. */
  async updatePull(ref: RepositoryRef, number: number, body: Markdown): Promise<OpenedPull> {
    const { url } = await this.github.pulls.update(ref, number, { body });
    return { number, url };
  }

  async close(ref: RepositoryRef, number: number): Promise<void> {
    await this.github.pulls.update(ref, number, { state: 'closed' });
  }

  async findPull(ref: RepositoryRef, number: number): Promise<(OpenedPull & { readonly state: string }) | null> {
    return (await this.github.pulls.find(ref, number)).value;
  }

  private async findBase(ref: RepositoryRef): Promise<{ readonly baseRef: string; readonly baseSha: Sha | null }> {
    const { value: repository } = await this.github.repositories.find(ref);
    if (!repository) throw new GitHubError('not_found', `the repository ${ref.id} cannot be read`);
    const baseRef = repository.defaultBranch;
    return { baseRef, baseSha: await this.github.branches.findHead(ref, baseRef) };
  }

  private async workflowsAt(ref: RepositoryRef, sha: Sha): Promise<readonly ExistingWorkflow[]> {
    const present: ExistingWorkflow[] = [];
    for (const { path } of this.workflows.files()) {
      const { value: file } = await this.github.repositories.file(ref, path, sha);
      if (!file) continue;
      const { blobSha } = file;
      present.push({ path, blobSha, published: await this.workflowFiles.findPublishedRevision(null, path, blobSha) });
    }
    return present;
  }

  private async openPulls(
    ref: RepositoryRef,
    baseRef: string,
  ): Promise<{ ofBranch: { number: number; isOwn: boolean } | null; superseded: readonly number[] }> {
    const { value: open } = await this.github.openPullRequests.list(ref);
    const updates = open.filter(
      (proposal) =>
        !proposal.fromFork && proposal.baseRef === baseRef && proposal.headRef.startsWith(WORKFLOW_UPDATE_PREFIX),
    );
    if (updates.length === 0) return { ofBranch: null, superseded: [] };
    const { value: app } = await this.github.installations.app();
    // Every writer can open a pull request from such a branch. Those of the service have the app as author.
    const isOwn = ({ authorLogin }: OpenPullRequest): boolean => authorLogin === `${app.slug}[bot]`;
    const ofBranch = updates.find(({ headRef }) => headRef === this.branch);
    return {
      ofBranch: ofBranch ? { number: ofBranch.number, isOwn: isOwn(ofBranch) } : null,
      superseded: updates.filter((update) => update !== ofBranch && isOwn(update)).map(({ number }) => number),
    };
  }
}
