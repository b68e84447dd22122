import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import type { Protection } from '../../domain/repository/protection.js';
import { isMerged } from '../../domain/repository/setup-state.js';
import { PersonalToken } from '../../github/personal-token.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { InstallationTiers } from '../../workspaces/installation-tiers.reader.js';
import { noSuchRepository, notReached } from '../../http/repository-refusal.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import { HostTokens } from '../host-tokens/host-tokens.service.js';
import { RepositorySetups } from '../onboarding/repository-setups.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { AdministratorTokens } from './administrator-tokens.service.js';
import { ProtectionSetup } from './protection-setup.recorder.js';
import { ProtectionsRepository } from './protections.repository.js';
import { notMerged, tokenRequired } from './ruleset-order-refusal.js';

type Reached = GovernedRepository & { readonly ref: RepositoryRef };

/** Lets admins have the rulesets of a repository set up, or mended. */
@Injectable()
export class RulesetOrders {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly setups: RepositorySetups,
    private readonly tiers: InstallationTiers,
    private readonly tokens: HostTokens,
    private readonly administrators: AdministratorTokens,
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
    const { administers } = await this.database.inTenant(orgId, (tx) => this.tiers.of(tx));
    const taken = administers ? null : await this.takeToken(orgId, repository, pat);
    return this.database.inTenant(orgId, async (tx) => {
      if (taken !== null) await this.tokens.keep(tx, repository.id, taken);
      const begun = await this.setup.request(tx, repository.id, { anew: taken !== null });
      if (begun) {
        await this.audit.append(tx, {
          actor: { type: 'person', id: caller.person.id, login: caller.person.login },
          action: 'protection.requested',
          subject: `${repository.org}/${repository.name}`,
          data: { withToken: taken !== null },
        });
      }
      return (await this.protections.find(tx, repository.id)) ?? { status: 'unknown', detail: null };
    });
  }

  private async findOrdered({ orgId, viewer }: Member, id: string): Promise<Reached> {
    if (!isUuid(id)) throw noSuchRepository();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.find(tx, id));
    if (!repository || repository.removed) throw noSuchRepository();
    if (!repository.ref) throw notReached();
    const setup = await this.database.inTenant(orgId, (tx) => this.setups.find(tx, id));
    if (!isMerged(setup?.step ?? null)) throw notMerged();
    return { ...repository, ref: repository.ref };
  }

  /** Null where the one that is kept is to be used. */
  private async takeToken(orgId: OrgId, { id, ref }: Reached, pat: string | null): Promise<string | null> {
    if (pat !== null) {
      await this.administrators.prove(ref, new PersonalToken(pat));
      return pat;
    }
    if ((await this.tokens.open(orgId, id)) === null) throw tokenRequired();
    return null;
  }
}
