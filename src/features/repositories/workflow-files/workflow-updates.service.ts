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
import { InstallationPermissionsQueries } from '../../../workspaces/workspaces.queries.js';
import { branchConflict, repositoryNotSetUp, patRejected, patRequired } from '../repositories.errors.js';
import { WorkflowFilesRepository } from './workflow-files.repository.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';
import {
  type OpenedPull,
  updateBody,
  type WorkflowsOnGitHub,
  WorkflowUpdatesGitHubService,
} from './workflow-updates-github.service.js';
import { WorkflowUpdatesRepository } from './workflow-updates.repository.js';

/** A repository that the app reaches, as far as it matters to its workflow files. */
export interface UpdatableRepository {
  readonly repository: Repository;
  readonly ref: RepositoryRef;
  /** Whether the app itself may write workflow files. */
  readonly appMayWrite: boolean;
  /** Whether the service ever installed its own there. */
  readonly wasInstalled: boolean;
}

/** Finds the repository whose workflow files somebody asks about. */
@Injectable()
export class UpdatableRepositories {
  constructor(
    private readonly database: Database,
    private readonly viewed: ReadableRepositoriesService,
    private readonly tiers: InstallationPermissionsQueries,
    private readonly installations: WorkflowFilesRepository,
  ) {}

  /** Refuses what the member may not read, and what the app does not reach. */
  async get({ orgId, viewer }: Member, id: string): Promise<UpdatableRepository> {
    const repository = await this.viewed.getInstalled(viewer, id);
    return this.database.inTenant(orgId, async (tx) => ({
      repository,
      ref: repository.ref,
      appMayWrite: (await this.tiers.get(tx)).writesWorkflows,
      wasInstalled: (await this.installations.findInstallation(tx, id)) !== null,
    }));
  }
}

/** How the workflow files of a repository stand, and by which pull request they are brought up to date. */
export interface WorkflowUpdate {
  readonly status: WorkflowUpdateStatus;
  /** The service's own; null where none is open. */
  readonly pull: OpenedPull | null;
  readonly targetRevision: string;
  /** Null where what lies there is of no revision of the service. */
  readonly installedRevision: string | null;
  readonly managedFiles: readonly string[];
  /** The branch of the pull request, or the one that is in the way; null where there is none. */
  readonly branch: string | null;
}

type Decision = ReturnType<typeof decideWorkflowUpdate>;

/** A repository of which is known what there is to do. */
interface Examined extends UpdatableRepository {
  readonly found: WorkflowsOnGitHub;
  readonly decision: Decision;
}

/** Of two at once the later one finds what the earlier one made, and goes on from there. */
const MAX_TRIES = 3;

/** Brings the workflow files of repositories up to date, by pull requests. */
@Injectable()
export class WorkflowUpdatesService {
  constructor(
    private readonly repositories: UpdatableRepositories,
    private readonly workflows: WorkflowTemplatesService,
    private readonly host: WorkflowUpdatesGitHubService,
    private readonly log: WorkflowUpdatesRepository,
    private readonly database: Database,
  ) {}

  /** As the host shows it now. */
  async read(member: Member, repositoryId: string): Promise<WorkflowUpdate> {
    const repository = await this.repositories.get(member, repositoryId);
    const { decision, found } = await convertingErrors(toCallerError, () => this.examine(repository, null));
    return this.toResult(decision, decision.status, found.opened);
  }

  /**
   * Opens the pull request, or answers the one that is open. Each step finds what an earlier try left, so asking again
   * after a failure goes on with it. A person's token is used where the app may not write workflows, and kept nowhere.
   */
  async open(member: Member, repositoryId: string, pat: string | null): Promise<WorkflowUpdate> {
    const repository = await this.repositories.get(member, repositoryId);
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

  private async examine(repository: UpdatableRepository, token: PersonalToken | null): Promise<Examined> {
    const found = await this.host.read(repository.ref);
    const { present, branch, pull } = found;
    if (!repository.wasInstalled && present.length === 0) throw repositoryNotSetUp();
    const target = { revision: this.workflows.revision, files: this.workflows.files() };
    const mayWrite = repository.appMayWrite || token !== null;
    return { ...repository, found, decision: decideWorkflowUpdate({ target, present, branch, pull, mayWrite }) };
  }

  private async update(member: Member, examined: Examined, token: PersonalToken | null): Promise<WorkflowUpdate> {
    const { decision, found } = examined;
    if (decision.status === 'CONFLICT') throw branchConflict(this.host.branch);
    if (decision.status === 'PAT_REQUIRED') throw patRequired('workflows');
    if (decision.status === 'UPDATE_AVAILABLE') return this.propose(member, examined, token);
    // One that an earlier try opened may not be written down yet.
    if (decision.status === 'PR_OPEN' && found.opened) await this.save(member, examined, found.opened);
    return this.toResult(decision, decision.status, found.opened);
  }

  private async propose(member: Member, examined: Examined, token: PersonalToken | null): Promise<WorkflowUpdate> {
    const { ref, decision, found } = examined;
    if (!decision.isProposed) await this.place(examined, token);
    const pull = await this.openPull(examined);
    await this.save(member, examined, pull);
    for (const number of found.superseded) await this.host.close(ref, number);
    return this.toResult(decision, found.opened === null ? 'PR_CREATED' : 'PR_OPEN', pull);
  }

  private async place({ ref, found, decision }: Examined, token: PersonalToken | null): Promise<void> {
    const writer: RepositoryRef = token === null ? ref : { ...ref, as: token };
    await convertingErrors(token === null ? toAppError : toTokenError, () =>
      this.host.writeBranch(writer, found, decision.outdatedFiles),
    );
  }

  /** By the app, whoever wrote the branch. */
  private async openPull({ ref, found, decision }: Examined): Promise<OpenedPull> {
    const body = updateBody({
      files: decision.outdatedFiles,
      revision: this.workflows.revision,
      installedRevision: decision.installedRevision,
      customCi: hasCustomCi(found.present),
    });
    return found.opened === null
      ? this.host.openPull(ref, found.baseRef, body)
      : this.host.describePull(ref, found.opened.number, body);
  }

  private async save({ orgId, user }: Member, { repository }: Examined, pull: OpenedPull): Promise<void> {
    const update = { ...pull, branch: this.host.branch, revision: this.workflows.revision };
    await this.database.inTenant(orgId, (tx) => this.log.recordOpened(tx, repository, user, update));
  }

  private toResult(decision: Decision, status: WorkflowUpdateStatus, opened: OpenedPull | null): WorkflowUpdate {
    const isOpen = status === 'PR_OPEN' || status === 'PR_CREATED';
    return {
      status,
      pull: isOpen ? opened : null,
      targetRevision: this.workflows.revision,
      installedRevision: decision.installedRevision,
      managedFiles: decision.managedFiles,
      branch: isOpen || status === 'CONFLICT' ? this.host.branch : null,
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
