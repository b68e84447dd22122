import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import type { TenantTransaction } from '../../../database/database.js';
import { canStartBootstrap } from '../../../domain/repository/bootstrap.js';
import type { PersonalToken } from '../../../github/transport/token-scope.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { RepositoryQuotaRepository } from '../../../workspaces/repository-quota.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { RefreshRequests } from '../../releases/evaluation/refresh-requests.repository.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import {
  BootstrapPursuits,
  BootstrapsRepository,
  type RepositorySetup,
  RepositorySetupsRepository,
} from '../setup-state/repository-setups.repository.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { bootstrapInProgress, planLimitReached } from './bootstrap.errors.js';

/** The places of the plan that bootstraps hold, from the moment at which they begin. */
@Injectable()
export class BootstrapPlaces {
  constructor(
    private readonly room: RepositoryQuotaRepository,
    private readonly releases: ReleasesQueries,
    private readonly refreshes: RefreshRequests,
  ) {}

  /** Refuses where `take` would refuse as things are now. */
  async refuseWithoutRoom(tx: TenantTransaction): Promise<void> {
    const { used, limit } = await this.room.getUsage(tx);
    if (limit !== null && used >= limit) throw planLimitReached();
  }

  /** True where the repository takes a place just now, false where it had one. */
  async take(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    if (!(await this.room.reserve(tx, repositoryId))) {
      if (await this.room.isReserved(tx, repositoryId)) return false;
      throw planLimitReached();
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
  readonly repository: Repository;
  readonly user: User;
  /** To be kept for what the app may not do itself; null where it may, or where none was given. */
  readonly token: PersonalToken | null;
}

/** Lets one bootstrap of a repository begin at a time, and no more of them than the plan has room for. */
@Injectable()
export class BootstrapReservationService {
  constructor(
    private readonly bootstraps: BootstrapsRepository,
    private readonly setups: RepositorySetupsRepository,
    private readonly places: BootstrapPlaces,
    private readonly tokens: RepositoryTokensService,
    private readonly pursuits: BootstrapPursuits,
    private readonly audit: AuditRepository,
  ) {}

  /** Refuses what `claim` would refuse as things are now, before anybody asks the host. */
  async assertCanStart(tx: TenantTransaction, repository: Repository): Promise<void> {
    const setup = await this.setups.find(tx, repository.id);
    if (!canStartBootstrap(setup?.step ?? null)) throw bootstrapInProgress();
    if (!repository.managed) await this.places.refuseWithoutRoom(tx);
  }

  /**
   * Begins one: with its place in the plan, the token, and the job that goes on with it should its request die, all
   * together or not at all.
   */
  async reserve(tx: TenantTransaction, { repository, user, token }: Claim): Promise<RepositorySetup> {
    const repositoryId = repository.id;
    const tookPlace = await this.places.take(tx, repositoryId);
    const begun = await this.bootstraps.begin(tx, { repositoryId, requestedBy: user.id, tookPlace });
    if (!begun) throw bootstrapInProgress();
    if (token !== null) await this.tokens.save(tx, repositoryId, token.reveal());
    await this.pursuits.askForLater(tx, repositoryId);
    await this.audit.append(tx, {
      actor: { type: 'person', id: user.id, login: user.login },
      action: 'bootstrap.begun',
      subject: `${repository.org}/${repository.name}`,
      data: { repositoryId },
      repositoryIds: [repositoryId],
    });
    return begun;
  }
}
