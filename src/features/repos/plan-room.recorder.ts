import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import { hasRoomFor } from '../../domain/billing/plan-limit.js';

/** Which repositories the workspace's plan has room for. */
@Injectable()
export class PlanRoom {
  constructor(private readonly clock: Clock) {}

  /**
   * Counts the repository among the managed ones, if it is not yet and the plan has room. The workspace is locked, so
   * that two repositories never take the last place. True where it was counted just now.
   */
  async take(tx: TenantTx, repositoryId: string): Promise<boolean> {
    const [repository] = await tx.query<{ readonly managed: boolean }>(
      'select managed_at is not null as managed from repository where id = $1',
      [repositoryId],
    );
    if (!repository || repository.managed) return false;
    const [workspace] = await tx.query<{ readonly plan: 'free' | 'pro' }>(
      'select plan from organization for no key update',
    );
    const [managed] = await tx.query<{ readonly count: string }>(
      'select count(*) from repository where managed_at is not null and removed_at is null',
    );
    if (!workspace || !managed || !hasRoomFor(workspace.plan, Number(managed.count))) return false;
    const counted = await tx.query(
      'update repository set managed_at = $2, updated_at = $2 where id = $1 and managed_at is null returning id',
      [repositoryId, this.clock.now()],
    );
    return counted.length > 0;
  }
}
