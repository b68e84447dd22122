import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import {
  decideWorkflowUpdate,
  hasCustomCi,
  type WorkflowUpdateStatus,
} from '../../../domain/repository/workflow-update.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { toCallerError } from '../../../http/errors/github-unavailable.js';
import { ReadableRepositoriesService } from '../../../workspaces/readable-repositories.service.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { branchConflict, repositoryNotSetUp, patRejected, patRequired } from '../repositories.errors.js';
import { WorkflowFilesService } from './workflow-files.service.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';
import {
  type OpenedPull,
  updateBody,
  type WorkflowsOnGitHub,
  WorkflowUpdatesGitHubService,
} from './workflow-updates-github.service.js';
import { WorkflowUpdateRecordsService } from './workflow-update-records.service.js';

/** A repository that the app can access, with the data that workflow updates need. */
interface UpdatableRepository {
  readonly repository: Repository;
  readonly ref: RepositoryRef;
  /** Whether the app may write workflow files. */
  readonly appMayWrite: boolean;
  /** Whether the service ever installed workflow files. */
  readonly wasInstalled: boolean;
}

/** The state of a repository's workflow files and the pull request that updates them. */
export interface WorkflowUpdate {
  readonly status: WorkflowUpdateStatus;
  /** The pull request of the service; null if none is open. */
  readonly pull: OpenedPull | null;
  readonly targetRevision: string;
  /** Null if the files match no published revision. */
  readonly installedRevision: string | null;
  readonly managedFiles: readonly string[];
  /** The branch of the pull request, or the conflicting branch; null if there is none. */
  readonly branch: string | null;
}

type Decision = ReturnType<typeof decideWorkflowUpdate>;

/** A repository with its workflow files on GitHub and the decision about them. */
interface Examined extends UpdatableRepository {
  readonly found: WorkflowsOnGitHub;
  readonly decision: Decision;
}

/** A concurrent attempt finds the branch of the other one and continues from there. */
const MAX_TRIES = 3;

/** Updates the workflow files of repositories by pull requests. */
@Injectable()
export class WorkflowUpdatesService {
  constructor(
    private readonly readable: ReadableRepositoriesService,
    private readonly workspaces: WorkspacesQueries,
    private readonly workflowFiles: WorkflowFilesService,
    private readonly workflows: WorkflowTemplatesService,
    private readonly github: WorkflowUpdatesGitHubService,
    private readonly updates: WorkflowUpdateRecordsService,
    private readonly database: Database,
  ) {}

  /** Returns the current state on GitHub. */
  async read(member: Member, repositoryId: string): Promise<WorkflowUpdate> {
    const repository = await this.getRepository(member, repositoryId);
    const { decision, found } = await convertingErrors(toCallerError, () => this.examine(repository, null));
    return this.toResult(decision, decision.status, found.opened);
  }

  /**
   * Opens the pull request, or returns the open one. Each step finds the result of an earlier attempt, so a repetition after a
   * failure continues it. A user's token is used if the app may not write workflows, and is not stored.
   */
  async open(member: Member, repositoryId: string, pat: string | null): Promise<WorkflowUpdate> {
    const repository = await this.getRepository(member, repositoryId);
    const token = repository.appMayWrite || pat === null ? null : new PersonalToken(pat);
    return convertingErrors(toCallerError, async () => {
      for (let tries = 1; ; tries += 1) {
        const examined = await this.examine(repository, token);
        try {
          return await this.update(member, examined, token);
        } catch (error) {
          if (!GitHubError.is(error, 'conflict') || tries === MAX_TRIES) throw error;
        }
      }
    });
  }

  /** Throws `not_found` if the member cannot read the repository, and `conflict` if the app cannot access it. */
  private async getRepository({ orgId, viewer }: Member, id: string): Promise<UpdatableRepository> {
    const repository = await this.readable.getInstalled(viewer, id);
    return this.database.inTenant(orgId, async (tx) => ({
      repository,
      ref: repository.ref,
      appMayWrite: (await this.workspaces.getPermissions(tx)).writesWorkflows,
      wasInstalled: (await this.workflowFiles.findInstallation(tx, id)) !== null,
    }));
  }

  private async examine(repository: UpdatableRepository, token: PersonalToken | null): Promise<Examined> {
    const found = await this.github.read(repository.ref);
    const { present, branch, pull } = found;
    if (!repository.wasInstalled && present.length === 0) throw repositoryNotSetUp();
    const target = { revision: this.workflows.revision, files: this.workflows.files() };
    const mayWrite = repository.appMayWrite || token !== null;
    return { ...repository, found, decision: decideWorkflowUpdate({ target, present, branch, pull, mayWrite }) };
  }

  private async update(member: Member, examined: Examined, token: PersonalToken | null): Promise<WorkflowUpdate> {
    const { decision, found } = examined;
    if (decision.status === 'CONFLICT') throw branchConflict(this.github.branch);
    if (decision.status === 'PAT_REQUIRED') throw patRequired('workflows');
    if (decision.status === 'UPDATE_AVAILABLE') return this.propose(member, examined, token);
    // An earlier attempt may have opened it without saving it.
    if (decision.status === 'PR_OPEN' && found.opened) await this.save(member, examined, found.opened);
    return this.toResult(decision, decision.status, found.opened);
  }

  private async propose(member: Member, examined: Examined, token: PersonalToken | null): Promise<WorkflowUpdate> {
    const { ref, decision, found } = examined;
    if (!decision.isProposed) await this.writeBranch(examined, token);
    const pull = await this.openPull(examined);
    await this.save(member, examined, pull);
    for (const number of found.superseded) await this.github.close(ref, number);
    return this.toResult(decision, found.opened === null ? 'PR_CREATED' : 'PR_OPEN', pull);
  }

  private async writeBranch({ ref, found, decision }: Examined, token: PersonalToken | null): Promise<void> {
    const writer: RepositoryRef = token === null ? ref : { ...ref, as: token };
    await convertingErrors(token === null ? toAppError : toTokenError, () =>
      this.github.writeBranch(writer, found, decision.outdatedFiles),
    );
  }

  /** Opens the pull request as the app, also if a user's token wrote the branch. */
  private async openPull({ ref, found, decision }: Examined): Promise<OpenedPull> {
    const body = updateBody({
      files: decision.outdatedFiles,
      revision: this.workflows.revision,
      installedRevision: decision.installedRevision,
      customCi: hasCustomCi(found.present),
      action: this.workflows.action,
    });
    return found.opened === null
      ? this.github.openPull(ref, found.baseRef, body)
      : this.github.updatePull(ref, found.opened.number, body);
  }

  private async save({ orgId, user }: Member, { repository }: Examined, pull: OpenedPull): Promise<void> {
    const update = { ...pull, branch: this.github.branch, revision: this.workflows.revision };
    await this.database.inTenant(orgId, (tx) => this.updates.recordOpened(tx, repository, user, update));
  }

  private toResult(decision: Decision, status: WorkflowUpdateStatus, opened: OpenedPull | null): WorkflowUpdate {
    const isOpen = status === 'PR_OPEN' || status === 'PR_CREATED';
    return {
      status,
      pull: isOpen ? opened : null,
      targetRevision: this.workflows.revision,
      installedRevision: decision.installedRevision,
      managedFiles: decision.managedFiles,
      branch: isOpen || status === 'CONFLICT' ? this.github.branch : null,
    };
  }
}

/** A user's token wrote. GitHub answers `not_found` to a token that may not write workflows. */
const toTokenError = (error: unknown): unknown =>
  GitHubError.is(error, 'unauthorized', 'forbidden', 'not_found', 'invalid')
    ? patRejected(
        'It must be valid, authorized for the organization, and allowed to write contents and workflows of this repository.',
        error,
      )
    : error;

/** The app wrote. An owner may have removed its permission since it was last read. */
const toAppError = (error: unknown): unknown =>
  GitHubError.is(error, 'forbidden') && !/archived/i.test(error.message) ? patRequired('workflows') : error;

/** Runs `work` and converts its error. */
async function convertingErrors<T>(as: (error: unknown) => unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw as(error);
  }
}
