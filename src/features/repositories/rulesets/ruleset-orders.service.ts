import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import type { Protection } from '../../../domain/repository/protection.js';
import { isMerged } from '../../../domain/repository/setup-state.js';
import { type ReachedRepository, ViewedRepositories } from '../../../workspaces/readable-repositories.service.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { RepositorySetups } from '../setup-state/repository-setups.reader.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { AdministratorTokens } from './administrator-tokens.service.js';
import { ProtectionSetup } from './protection-setup.recorder.js';
import { ProtectionsRepository } from './protections.repository.js';
import { notMerged } from './ruleset-order-refusal.js';

/** Lets admins have the rulesets of a repository set up, or mended. */
@Injectable()
export class RulesetOrders {
  constructor(
    private readonly database: Database,
    private readonly viewed: ViewedRepositories,
    private readonly setups: RepositorySetups,
    private readonly administrators: AdministratorTokens,
    private readonly tokens: HostTokens,
    private readonly setup: ProtectionSetup,
    private readonly protections: ProtectionsRepository,
    private readonly audit: AuditRecorder,
  ) {}

  /**
   * Orders it, and answers how it stands then: a job does it. A token is taken only where the app itself may not do it, and
   * only where GitHub says that it is one of somebody who may.
   */
  async order(caller: Member, repositoryId: string, pat: string | null): Promise<Protection> {
    const { orgId } = caller;
    const repository = await this.findOrdered(caller, repositoryId);
    const taken = await this.administrators.take(orgId, repository, pat);
    return this.database.inTenant(orgId, async (tx) => {
      if (taken !== null) await this.tokens.keep(tx, repository.id, taken);
      const begun = await this.setup.request(tx, repository.id, { anew: taken !== null });
      if (begun) {
        await this.audit.append(tx, {
          actor: { type: 'person', id: caller.person.id, login: caller.person.login },
          action: 'protection.requested',
          subject: `${repository.org}/${repository.name}`,
          data: { withToken: taken !== null },
          repositoryIds: [repository.id],
        });
      }
      return (await this.protections.find(tx, repository.id)) ?? { status: 'unknown', detail: null };
    });
  }

  private async findOrdered({ orgId, viewer }: Member, id: string): Promise<ReachedRepository> {
    const repository = await this.viewed.getReached(viewer, id);
    const setup = await this.database.inTenant(orgId, (tx) => this.setups.find(tx, id));
    if (!isMerged(setup?.step ?? null)) throw notMerged();
    return repository;
  }
}
