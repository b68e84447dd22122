import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { type SetupState, repositorySetupState } from '../../../domain/repository/bootstrap.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { DomainError, repositoryNotFound } from '../../../http/errors/domain-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { ReadableRepositoriesService } from '../../../workspaces/readable-repositories.service.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { type InstallationPermissions, WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { bootstrapNotPossible, patRequired } from '../repositories.errors.js';
import { RepositorySetupsService, type RepositorySetup } from '../setup-state/repository-setups.service.js';
import { BootstrapCompletionService } from './bootstrap-completion.service.js';
import { BootstrapGitHubService } from './bootstrap-github.service.js';
import { BootstrapReservationService } from './bootstrap-reservation.service.js';
import { BootstrapOpeningService } from './bootstrap-opening.service.js';

/** The state of a bootstrap; without a pull request if there was nothing to propose. */
export interface BootstrapResult {
  readonly state: SetupState;
  readonly pull: { readonly number: number; readonly url: string } | null;
}

/** Starts bootstraps for admins. */
@Injectable()
export class BootstrapService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly readable: ReadableRepositoriesService,
    private readonly workspaces: WorkspacesQueries,
    private readonly setups: RepositorySetupsService,
    private readonly reservations: BootstrapReservationService,
    private readonly github: BootstrapGitHubService,
    private readonly opening: BootstrapOpeningService,
    private readonly completion: BootstrapCompletionService,
  ) {}

  /**
   * Opens the pull request that sets the repository up. Once the bootstrap is reserved, a job continues it even if this call
   * fails. If GitHub rejects it permanently, the bootstrap is closed.
   */
  async start({ orgId, viewer, user }: Member, repositoryId: string, pat: string | null): Promise<BootstrapResult> {
    const repository = await this.readable.getInstalled(viewer, repositoryId);
    const tier = await this.database.inTenant(orgId, async (tx) => {
      await this.reservations.assertCanStart(tx, repository);
      return this.workspaces.getPermissions(tx);
    });
    // A token that is not needed is not stored.
    const token = tier.name === 'minimal' && pat !== null ? new PersonalToken(pat) : null;
    await this.assertPossible(repository.ref, tier, token);
    const setup = await this.database.inTenant(orgId, (tx) =>
      this.reservations.reserve(tx, { repository, user, token }),
    );
    await this.openOrClose(orgId, setup);
    return this.read(orgId, repositoryId);
  }

  /** Throws if GitHub would reject the bootstrap, before anything is saved. */
  private async assertPossible(
    ref: RepositoryRef,
    { writesWorkflows }: InstallationPermissions,
    token: PersonalToken | null,
  ): Promise<void> {
    if (!writesWorkflows && token === null) throw patRequired('workflows');
    try {
      if (token !== null) await this.github.verifyToken(ref, token);
      await this.github.findBase(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw error.isTransient ? githubUnavailable(error) : toBootstrapError(error);
    }
  }

  private async openOrClose(orgId: OrgId, setup: RepositorySetup): Promise<void> {
    try {
      await this.opening.openPullRequest(orgId, setup.repositoryId);
    } catch (error) {
      if (error instanceof GitHubError && error.isTransient) {
        throw githubUnavailable(error, { nextStep: 'The pull request is opened automatically later.' });
      }
      const failure = error instanceof GitHubError ? toBootstrapError(error) : error;
      if (!(failure instanceof DomainError)) throw error;
      await this.completion.close(orgId, setup, failure.message);
      throw failure;
    }
  }

  private async read(orgId: OrgId, repositoryId: string): Promise<BootstrapResult> {
    return this.database.inTenant(orgId, async (tx) => {
      const setup = await this.setups.find(tx, repositoryId);
      const repository = await this.repos.find(tx, repositoryId);
      const state = repositorySetupState({
        removed: repository?.removed ?? true,
        installed: true,
        suspended: repository?.ref === null,
        managed: repository?.managed ?? false,
        step: setup?.step ?? null,
      });
      return { state, pull: setup?.pull ?? null };
    });
  }
}

const toBootstrapError = (error: GitHubError): DomainError =>
  error.kind === 'not_found'
    ? repositoryNotFound()
    : bootstrapNotPossible(`GitHub rejects the request. ${error.message}`);
