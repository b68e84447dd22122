import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { type SetupState, setupStateOf } from '../../../domain/repository/bootstrap.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { DomainError, noSuchRepository } from '../../../http/errors/domain-error.js';
import { hostIsAway } from '../../../http/errors/github-unavailable.js';
import { ViewedRepositories } from '../../../workspaces/readable-repositories.service.js';
import { ReposReader } from '../../../workspaces/repositories.repository.js';
import { type InstallationTier, InstallationTiers } from '../../../workspaces/workspaces.queries.js';
import {
  BootstrapPursuits,
  BootstrapsRepository,
  type RepositorySetup,
  RepositorySetups,
} from '../setup-state/repository-setups.repository.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { BootstrapClosure } from './bootstrap-completion.service.js';
import { BootstrapHost } from './bootstrap-github.service.js';
import { BootstrapClaims } from './bootstrap-reservation.service.js';
import { notSettable, tokenRequired } from './bootstrap.errors.js';

/** Brings a bootstrap that was begun to its open pull request, by whoever comes to it first: its request or a job. */
@Injectable()
export class BootstrapOpening {
  constructor(
    private readonly host: BootstrapHost,
    private readonly bootstraps: BootstrapsRepository,
    private readonly pursuits: BootstrapPursuits,
    private readonly setups: RepositorySetups,
    private readonly repos: ReposReader,
    private readonly tiers: InstallationTiers,
    private readonly tokens: HostTokens,
    private readonly database: Database,
  ) {}

  /** Does nothing where the bootstrap went on already, or while the app does not reach the repository. */
  async open(orgId: OrgId, repositoryId: string): Promise<void> {
    const { repository, setup, tier } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      setup: await this.setups.find(tx, repositoryId),
      tier: await this.tiers.of(tx),
    }));
    if (setup?.step !== 'opening' || !repository?.ref) return;
    const { ref } = repository;
    const base = await this.host.findBase(ref);
    const plan = await this.host.plan(ref, base);
    if (plan.write.length === 0) {
      // All of it lies there already, to the byte: there is nothing to propose.
      await this.record(orgId, repositoryId, (tx) => this.bootstraps.merged(tx, setup));
      return;
    }
    await this.host.place(ref, await this.writerOf(orgId, repositoryId, ref, tier), base, plan);
    const { number, url } = await this.host.openPull(ref, base, plan);
    await this.record(orgId, repositoryId, (tx) => this.bootstraps.opened(tx, setup, { number, url }));
  }

  private async writerOf(
    orgId: OrgId,
    repositoryId: string,
    ref: RepositoryRef,
    { writesWorkflows }: InstallationTier,
  ): Promise<RepositoryRef> {
    if (writesWorkflows) return ref;
    const token = await this.tokens.open(orgId, repositoryId);
    if (token === null) throw tokenRequired();
    return { ...ref, as: new PersonalToken(token) };
  }

  /** And has it looked at again: it may have been merged or closed before it was written down. */
  private async record(
    orgId: OrgId,
    repositoryId: string,
    write: (tx: Parameters<BootstrapPursuits['askFor']>[0]) => Promise<boolean>,
  ): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      if (await write(tx)) await this.pursuits.askFor(tx, repositoryId);
    });
  }
}

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
