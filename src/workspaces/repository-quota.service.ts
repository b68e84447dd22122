import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TenantTransaction } from '../database/database.js';
import { managedRepositoryLimit, type Plan, effectivePlan, remainingQuota } from '../domain/billing/plan.js';
import { DEFAULT_POLICY_REPOSITORY } from '../domain/repository/managed-files.js';
import { EventsRepository } from '../events/events.repository.js';

/** The usage of the repository quota of a workspace. */
export interface QuotaUsage {
  /** The effective plan. */
  readonly plan: Plan;
  readonly used: number;
  /** The limit of the plan. Null if there is none. */
  readonly limit: number | null;
}

/** Reserves places in the plan's limit of managed repositories. */
@Injectable()
export class RepositoryQuotaService {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async getUsage(tx: TenantTransaction): Promise<QuotaUsage> {
    const [workspace] = await tx.query<{ readonly plan: Plan }>('select plan from organization');
    const plan = effectivePlan(workspace?.plan ?? 'free', this.environment.billing);
    return { plan, used: await this.countManaged(tx), limit: managedRepositoryLimit(plan) };
  }

  /**
   * Reserves a place for the repository if it has none and the quota is not used up. Locks the workspace, so that two
   * repositories never get the last place. Returns true only if this call reserved the place.
   */
  async reserve(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    if ((await this.isReserved(tx, repositoryId)) || (await this.lockQuota(tx)) === 0) return false;
    const counted = await tx.query(
      'update repository set managed_at = $2, updated_at = $2 where id = $1 and managed_at is null returning id',
      [repositoryId, this.clock.now()],
    );
    if (counted.length === 0) return false;
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /**
   * Reserves a place for a repository because of its valid policy. The repository with the organization default is managed
   * only if it was set up, because holding the default is no use of the service.
   */
  async reserveForPolicy(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    const [waiting] = await tx.query(
      'select from repository where id = $1 and managed_at is null and lower_name <> $2',
      [repositoryId, DEFAULT_POLICY_REPOSITORY],
    );
    return waiting !== undefined && this.reserve(tx, repositoryId);
  }

  /** Returns whether the repository has a place in the quota. */
  async isReserved(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    const [repository] = await tx.query<{ readonly managed: boolean }>(
      'select managed_at is not null as managed from repository where id = $1',
      [repositoryId],
    );
    return repository?.managed ?? false;
  }

  /** Releases the place of the repository, unless its own valid policy requires it. */
  async release(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const released = await tx.query(
      `update repository r set managed_at = null, updated_at = $2
       where r.id = $1 and r.managed_at is not null and (r.lower_name = $3 or not exists (
         select from observation p
         where p.repository_id = r.id and p.kind = 'policy' and p.value ->> 'status' = 'valid'))
       returning r.id`,
      [repositoryId, this.clock.now(), DEFAULT_POLICY_REPOSITORY],
    );
    if (released.length > 0) await this.events.append(tx, { type: 'repo.updated', repositoryId });
  }

  /**
   * Reserves places for repositories with a valid policy that got none before, oldest first, while the quota allows it.
   * Returns their ids.
   */
  async reserveForWaiting(tx: TenantTransaction): Promise<readonly string[]> {
    const free = await this.lockQuota(tx);
    const counted = await tx.query<{ readonly id: string }>(
      `with waiting as (
         select r.id from repository r
         join observation p on p.repository_id = r.id and p.kind = 'policy' and p.value ->> 'status' = 'valid'
         where r.managed_at is null and r.removed_at is null and r.lower_name <> $3
         order by r.created_at, r.id limit $1::int)
       update repository set managed_at = $2, updated_at = $2 from waiting
       where repository.id = waiting.id and repository.managed_at is null and repository.removed_at is null
       returning repository.id`,
      [free, this.clock.now(), DEFAULT_POLICY_REPOSITORY],
    );
    const ids = counted.map(({ id }) => id);
    for (const repositoryId of ids) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return ids;
  }

  /**
   * Returns the number of free places and locks the quota until the transaction ends. Null means no limit. The places
   * are counted in a separate statement after the lock, because one statement would count the state from before the
   * wait.
   */
  private async lockQuota(tx: TenantTransaction): Promise<number | null> {
    const [workspace] = await tx.query<{ readonly plan: Plan }>('select plan from organization for no key update');
    if (!workspace) return 0;
    return remainingQuota(effectivePlan(workspace.plan, this.environment.billing), await this.countManaged(tx));
  }

  private async countManaged(tx: TenantTransaction): Promise<number> {
    const [managed] = await tx.query<{ readonly count: string }>(
      'select count(*) from repository where managed_at is not null and removed_at is null',
    );
    return Number(managed?.count ?? 0);
  }
}
