import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { PersonalToken } from '../../../github/transport/personal-token.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { InstallationTier } from '../../../workspaces/installation-tiers.reader.js';
import { InstallationTiers } from '../../../workspaces/installation-tiers.reader.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { BootstrapPursuits } from '../setup-state/bootstrap-pursuits.recorder.js';
import { BootstrapsRepository } from '../setup-state/bootstraps.repository.js';
import { RepositorySetups } from '../setup-state/repository-setups.reader.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { BootstrapHost } from './bootstrap-github.service.js';
import { tokenRequired } from './bootstrap.errors.js';

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
