import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import type { TenantTx } from '../../../database/database.js';
import { mayBegin } from '../../../domain/repository/bootstrap.js';
import type { PersonalToken } from '../../../github/transport/token-scope.js';
import type { GovernedRepository } from '../../../workspaces/repositories.repository.js';
import { PlanRoom } from '../../../workspaces/repository-quota.repository.js';
import { AuditRecorder } from '../../audit/audit.repository.js';
import { RefreshRequests } from '../../releases/evaluation/refresh-requests.repository.js';
import { ReleasesReader } from '../../releases/records/releases.queries.js';
import {
  BootstrapPursuits,
  BootstrapsRepository,
  type RepositorySetup,
  RepositorySetups,
} from '../setup-state/repository-setups.repository.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { alreadyBegun, planIsFull } from './bootstrap.errors.js';

/** The places of the plan that bootstraps hold, from the moment at which they begin. */
@Injectable()
export class BootstrapPlaces {
  constructor(
    private readonly room: PlanRoom,
    private readonly releases: ReleasesReader,
    private readonly refreshes: RefreshRequests,
  ) {}

  /** Refuses where `take` would refuse as things are now. */
  async refuseWithoutRoom(tx: TenantTx): Promise<void> {
    const { used, limit } = await this.room.use(tx);
    if (limit !== null && used >= limit) throw planIsFull();
  }

  /** True where the repository takes a place just now, false where it had one. */
  async take(tx: TenantTx, repositoryId: string): Promise<boolean> {
    if (!(await this.room.take(tx, repositoryId))) {
      if (await this.room.holds(tx, repositoryId)) return false;
      throw planIsFull();
    }
    // Rules of its own may have governed nothing for want of a place.
    const active = await this.releases.listActive(tx, repositoryId);
    await this.refreshes.askFor(
      tx,
      active.map(({ id }) => id),
      'plan',
    );
    return true;
  }
}

interface Claim {
  readonly repository: GovernedRepository;
  readonly person: Person;
  /** To be kept for what the app may not do itself; null where it may, or where none was given. */
  readonly token: PersonalToken | null;
}

/** Lets one bootstrap of a repository begin at a time, and no more of them than the plan has room for. */
@Injectable()
export class BootstrapClaims {
  constructor(
    private readonly bootstraps: BootstrapsRepository,
    private readonly setups: RepositorySetups,
    private readonly places: BootstrapPlaces,
    private readonly tokens: HostTokens,
    private readonly pursuits: BootstrapPursuits,
    private readonly audit: AuditRecorder,
  ) {}

  /** Refuses what `claim` would refuse as things are now, before anybody asks the host. */
  async refuseHopeless(tx: TenantTx, repository: GovernedRepository): Promise<void> {
    const setup = await this.setups.find(tx, repository.id);
    if (!mayBegin(setup?.step ?? null)) throw alreadyBegun();
    if (!repository.managed) await this.places.refuseWithoutRoom(tx);
  }

  /**
   * Begins one: with its place in the plan, the token, and the job that goes on with it should its request die, all
   * together or not at all.
   */
  async claim(tx: TenantTx, { repository, person, token }: Claim): Promise<RepositorySetup> {
    const repositoryId = repository.id;
    const tookPlace = await this.places.take(tx, repositoryId);
    const begun = await this.bootstraps.begin(tx, { repositoryId, requestedBy: person.id, tookPlace });
    if (!begun) throw alreadyBegun();
    if (token !== null) await this.tokens.keep(tx, repositoryId, token.reveal());
    await this.pursuits.askForLater(tx, repositoryId);
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: 'bootstrap.begun',
      subject: `${repository.org}/${repository.name}`,
      data: { repositoryId },
      repositoryIds: [repositoryId],
    });
    return begun;
  }
}
