import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { type SetupState, setupStateOf } from '../../../domain/repository/setup-state.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken } from '../../../github/transport/personal-token.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { noSuchRepository } from '../../../http/errors/repository-refusal.js';
import { type InstallationTier, InstallationTiers } from '../../../workspaces/installation-tiers.reader.js';
import { ViewedRepositories } from '../../../workspaces/readable-repositories.service.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import type { RepositorySetup } from '../setup-state/repository-setup.js';
import { RepositorySetups } from '../setup-state/repository-setups.reader.js';
import { BootstrapClaims } from './bootstrap-claims.recorder.js';
import { BootstrapClosure } from './bootstrap-closure.service.js';
import { BootstrapHost } from './bootstrap-github.service.js';
import { BootstrapOpening } from './bootstrap-opening.service.js';
import { hostIsAway, notSettable, tokenRequired } from './bootstrap.errors.js';

/** What became of a bootstrap so far; without a pull request where there was nothing to propose. */
export interface BegunBootstrap {
  readonly state: SetupState;
  readonly pull: { readonly number: number; readonly url: string } | null;
}

/** Sets repositories up, as their admins ask for it. */
@Injectable()
export class Bootstrap {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly viewed: ViewedRepositories,
    private readonly tiers: InstallationTiers,
    private readonly setups: RepositorySetups,
    private readonly claims: BootstrapClaims,
    private readonly host: BootstrapHost,
    private readonly opening: BootstrapOpening,
    private readonly closure: BootstrapClosure,
  ) {}

  /**
   * Opens the pull request that sets the repository up. Once it is claimed, a job goes on with it whatever becomes of
   * this call; where the host refuses it for good, nothing of it stays.
   */
  async begin({ orgId, viewer, person }: Member, repositoryId: string, pat: string | null): Promise<BegunBootstrap> {
    const repository = await this.viewed.getReached(viewer, repositoryId);
    const tier = await this.database.inTenant(orgId, async (tx) => {
      await this.claims.refuseHopeless(tx, repository);
      return this.tiers.of(tx);
    });
    // What is not needed is not kept.
    const token = tier.name === 'minimal' && pat !== null ? new PersonalToken(pat) : null;
    await this.refuseImpossible(repository.ref, tier, token);
    const setup = await this.database.inTenant(orgId, (tx) => this.claims.claim(tx, { repository, person, token }));
    await this.open(orgId, setup);
    return this.read(orgId, repositoryId);
  }

  /** What the host would refuse is found out before anything is written down. */
  private async refuseImpossible(
    ref: RepositoryRef,
    { writesWorkflows }: InstallationTier,
    token: PersonalToken | null,
  ): Promise<void> {
    if (!writesWorkflows && token === null) throw tokenRequired();
    try {
      if (token !== null) await this.host.proveToken(ref, token);
      await this.host.findBase(ref);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw error.isPassing ? hostIsAway(error) : refusedBy(error);
    }
  }

  private async open(orgId: OrgId, setup: RepositorySetup): Promise<void> {
    try {
      await this.opening.open(orgId, setup.repositoryId);
    } catch (error) {
      if (error instanceof GitHubError && error.isPassing) {
        throw hostIsAway(error, 'the pull request is opened by itself once it answers.');
      }
      const refusal = error instanceof GitHubError ? refusedBy(error) : error;
      if (!(refusal instanceof DomainError)) throw error;
      await this.closure.close(orgId, setup, refusal.message);
      throw refusal;
    }
  }

  private async read(orgId: OrgId, repositoryId: string): Promise<BegunBootstrap> {
    return this.database.inTenant(orgId, async (tx) => {
      const setup = await this.setups.find(tx, repositoryId);
      const repository = await this.repos.find(tx, repositoryId);
      const state = setupStateOf({
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

const refusedBy = (error: GitHubError): DomainError =>
  error.kind === 'not_found' ? noSuchRepository() : notSettable(`GitHub refuses it: ${error.message}`);
