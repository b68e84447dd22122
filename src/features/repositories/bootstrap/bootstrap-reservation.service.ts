import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import type { TenantTransaction } from '../../../database/database.js';
import { canStartBootstrap } from '../../../domain/repository/bootstrap.js';
import type { PersonalToken } from '../../../github/transport/token-scope.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { RepositoryQuotaService } from '../../../workspaces/repository-quota.service.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import { bootstrapInProgress, planLimitReached } from '../repositories.errors.js';
import { RepositorySetupsService, type RepositorySetup } from '../setup-state/repository-setups.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';

/** Longer than a request takes to open the pull request: the job continues only what the request left unfinished. */
const REQUEST_SECONDS = 60;

interface BootstrapReservation {
  readonly repository: Repository;
  readonly user: User;
  /** Stored for tasks that the app may not do itself; null if the app may do them, or if the user gave no token. */
  readonly token: PersonalToken | null;
}

/** Starts at most one bootstrap of a repository at a time, within the plan's limit of managed repositories. */
@Injectable()
export class BootstrapReservationService {
  constructor(
    private readonly setups: RepositorySetupsService,
    private readonly tokens: RepositoryTokensService,
    private readonly audit: AuditLogService,
    private readonly quota: RepositoryQuotaService,
    private readonly releases: ReleasesQueries,
    private readonly jobs: JobsService,
  ) {}

  /** Throws the error that `reserve` would throw now, to avoid useless calls to GitHub. */
  async assertCanStart(tx: TenantTransaction, repository: Repository): Promise<void> {
    const setup = await this.setups.find(tx, repository.id);
    if (!canStartBootstrap(setup?.step ?? null)) throw bootstrapInProgress();
    if (!repository.managed) await this.assertWithinQuota(tx);
  }

  /**
   * Creates the bootstrap with its place in the quota, the token, and the job that continues it if the process stops. Throws
   * `conflict` if another bootstrap is in progress, and `plan_limit` if the quota is used up.
   */
  async reserve(tx: TenantTransaction, { repository, user, token }: BootstrapReservation): Promise<RepositorySetup> {
    const repositoryId = repository.id;
    const tookPlace = await this.reservePlace(tx, repositoryId);
    const setup = await this.setups.create(tx, { repositoryId, requestedBy: user.id, tookPlace });
    if (!setup) throw bootstrapInProgress();
    if (token !== null) await this.tokens.save(tx, repositoryId, token.reveal());
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'continue-bootstrap', payload, { delaySeconds: REQUEST_SECONDS });
    await this.audit.append(tx, {
      actor: { type: 'person', id: user.id, login: user.login },
      action: 'bootstrap.begun',
      subject: `${repository.org}/${repository.name}`,
      data: { repositoryId },
      repositoryIds: [repositoryId],
    });
    return setup;
  }

  private async assertWithinQuota(tx: TenantTransaction): Promise<void> {
    const { used, limit } = await this.quota.getUsage(tx);
    if (limit !== null && used >= limit) throw planLimitReached();
  }

  /** Returns false if the repository already had a place. */
  private async reservePlace(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    if (!(await this.quota.reserve(tx, repositoryId))) {
      if (await this.quota.isReserved(tx, repositoryId)) return false;
      throw planLimitReached();
    }
    // Its own policy had no effect without a place.
    for (const { id: releaseId } of await this.releases.listActive(tx, repositoryId)) {
      await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'plan' });
    }
    return true;
  }
}
