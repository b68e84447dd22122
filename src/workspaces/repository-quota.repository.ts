import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TenantTransaction } from '../database/database.js';
import { managedRepositoryLimit, type Plan, effectivePlan, remainingQuota } from '../domain/billing/plan.js';
import { EventsRepository } from '../events/events.repository.js';

/** How much of what its plan allows a workspace has taken. */
export interface QuotaUsage {
  /** The plan in force. */
  readonly plan: Plan;
  readonly used: number;
  /** Null where there is none. */
  readonly limit: number | null;
}

/** Which repositories the workspace's plan has room for. */
@Injectable()
export class RepositoryQuotaRepository {
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
   * Counts the repository among the managed ones, if it is not yet and the plan has room. The workspace is locked, so
   * that two repositories never take the last place. True where it was counted just now.
   */
  async reserve(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    if ((await this.isReserved(tx, repositoryId)) || (await this.lockRoom(tx)) === 0) return false;
    const counted = await tx.query(
      'update repository set managed_at = $2, updated_at = $2 where id = $1 and managed_at is null returning id',
      [repositoryId, this.clock.now()],
    );
    if (counted.length === 0) return false;
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return true;
  }

  /** Whether the repository is counted among the managed ones. */
  async isReserved(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    const [repository] = await tx.query<{ readonly managed: boolean }>(
      'select managed_at is not null as managed from repository where id = $1',
      [repositoryId],
    );
    return repository?.managed ?? false;
  }

  /** Counts it no more, unless a valid policy of its own has it counted anyway. */
  async release(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const given = await tx.query(
      `update repository r set managed_at = null, updated_at = $2
       where r.id = $1 and r.managed_at is not null and not exists (
         select from observation p
         where p.repository_id = r.id and p.kind = 'policy' and p.value ->> 'status' = 'valid')
       returning r.id`,
      [repositoryId, this.clock.now()],
    );
    if (given.length > 0) await this.events.append(tx, { type: 'repo.updated', repositoryId });
  }

  /**
   * Counts those repositories in that found no room when their valid policy was seen, as far as there is room now and
   * the oldest first; answers their ids.
   */
  async reserveForWaiting(tx: TenantTransaction): Promise<readonly string[]> {
    const room = await this.lockRoom(tx);
    const counted = await tx.query<{ readonly id: string }>(
      `with waiting as (
         select r.id from repository r
         join observation p on p.repository_id = r.id and p.kind = 'policy' and p.value ->> 'status' = 'valid'
         where r.managed_at is null and r.removed_at is null
         order by r.created_at, r.id limit $1::int)
       update repository set managed_at = $2, updated_at = $2 from waiting
       where repository.id = waiting.id and repository.managed_at is null and repository.removed_at is null
       returning repository.id`,
      [room, this.clock.now()],
    );
    const ids = counted.map(({ id }) => id);
    for (const repositoryId of ids) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return ids;
  }

  /**
   * The room that is left, which nobody else takes until the transaction ends; null is any number. It is counted by a
   * statement after the lock's: one that waited in the same statement would see what was taken before the wait.
   */
  private async lockRoom(tx: TenantTransaction): Promise<number | null> {
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
