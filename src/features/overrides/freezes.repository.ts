import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual } from 'typeorm';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import { DeploymentFreezeEntity } from '../../database/entities.js';

/** A freeze that an admin created for the whole workspace. */
export type WorkspaceFreeze = Omit<DeploymentFreezeEntity, 'orgId' | 'liftedBy' | 'liftedAt'>;

/** Not lifted, and not over on the day of `now` in UTC. */
const activeAt = (now: Date) => ({ liftedAt: IsNull(), to: MoreThanOrEqual(now.toISOString().slice(0, 10)) });

/**
 * Stores the freezes of a workspace and invalidates verdicts from before a change of them. A lifted freeze stays stored, because
 * it was in effect until then.
 */
@Injectable()
export class FreezesRepository {
  constructor(private readonly clock: Clock) {}

  /** Lists the current and future freezes, earliest first. */
  list(tx: TenantTransaction, now: Date): Promise<readonly WorkspaceFreeze[]> {
    return tx.manager.find(DeploymentFreezeEntity, {
      select: { id: true, from: true, to: true, reason: true, createdBy: true, createdAt: true },
      where: activeAt(now),
      order: { from: 'asc', to: 'asc', id: 'asc' },
    });
  }

  async create(tx: TenantTransaction, freeze: WorkspaceFreeze): Promise<void> {
    await tx.manager.insert(DeploymentFreezeEntity, { ...freeze, orgId: tx.orgId });
  }

  /** Returns null if there is no such current or future freeze. */
  async lift(tx: TenantTransaction, id: string, liftedBy: number, now: Date): Promise<WorkspaceFreeze | null> {
    const active = { id, ...activeAt(now) };
    const freeze = await tx.manager.findOneBy(DeploymentFreezeEntity, active);
    const lifted = await tx.manager.update(DeploymentFreezeEntity, active, { liftedBy, liftedAt: now });
    return lifted.affected === 1 ? freeze : null;
  }

  /**
   * Invalidates every release whose gate a freeze can open or close. Waits for running evaluations, because they may have read
   * the old freezes.
   */
  async invalidateWorkspace(tx: TenantTransaction): Promise<void> {
    await tx.query(
      `with locked as (
         select id, stage, open_until from release where deleted_at is null order by id for no key update)
       update release set valid_until = '-infinity', invalidated_at = coalesce(release.invalidated_at, $1) from locked
       where release.id = locked.id and (locked.stage in ('DEPLOYMENT', 'DEPLOYED') or locked.open_until is not null)`,
      [this.clock.earliestNow()],
    );
  }

  /** Lists the next releases to evaluate, in the order of their ids. Shipped ones are evaluated when their gate is checked. */
  async listNext(tx: TenantTransaction, after: string | null, limit: number): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from release
       where deleted_at is null and shipped_at is null and (stage = 'DEPLOYMENT' or open_until is not null)
         and ($1::uuid is null or id > $1) order by id limit $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }
}
