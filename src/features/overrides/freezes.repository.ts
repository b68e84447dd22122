import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import { DeploymentFreeze } from '../../database/entities/overrides.entities.js';
import type { Freeze } from '../../domain/policy/policy.js';
import { JobsService } from '../../jobs/jobs.service.js';

/** A freeze that an admin created for the whole workspace. */
export interface WorkspaceFreeze extends Freeze {
  readonly id: string;
  /** The GitHub id of the admin. */
  readonly createdBy: number;
  readonly createdAt: Date;
}

const COLUMNS = `id, from_day::text as "from", to_day::text as "to", reason, made_by::float8 as "createdBy",
  made_at as "createdAt"`;
const IS_ACTIVE = `lifted_at is null and to_day >= ($1 at time zone 'UTC')::date`;

/**
 * Stores the freezes of a workspace and invalidates verdicts from before a change of them. A lifted freeze stays stored, because
 * it was in effect until then.
 */
@Injectable()
export class FreezesRepository {
  constructor(
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /** Lists the current and future freezes, earliest first. */
  async list(tx: TenantTransaction, now: Date): Promise<readonly WorkspaceFreeze[]> {
    return tx.query<WorkspaceFreeze>(
      `select ${COLUMNS} from deployment_freeze where ${IS_ACTIVE} order by from_day, to_day, id`,
      [now],
    );
  }

  async create(tx: TenantTransaction, { from, to, ...freeze }: WorkspaceFreeze): Promise<void> {
    await tx.manager.insert(DeploymentFreeze, { ...freeze, orgId: tx.orgId, fromDay: from, toDay: to });
  }

  /** Returns null if there is no such current or future freeze. */
  async lift(tx: TenantTransaction, id: string, liftedBy: number, now: Date): Promise<WorkspaceFreeze | null> {
    const [row] = await tx.query<WorkspaceFreeze>(
      `update deployment_freeze set lifted_by = $3, lifted_at = $1 where id = $2 and ${IS_ACTIVE} returning ${COLUMNS}`,
      [now, id, liftedBy],
    );
    return row ?? null;
  }

  /**
   * Invalidates every release whose gate a freeze can open or close. Waits for running evaluations, because they may have read
   * the old freezes.
   */
  async invalidateWorkspace(tx: TenantTransaction, cause: string): Promise<void> {
    await tx.query(
      `with locked as (
         select id, stage, open_until from release where deleted_at is null order by id for no key update)
       update release set valid_until = '-infinity', invalidated_at = coalesce(release.invalidated_at, $1) from locked
       where release.id = locked.id and (locked.stage in ('DEPLOYMENT', 'DEPLOYED') or locked.open_until is not null)`,
      [this.clock.earliestNow()],
    );
    await this.jobs.enqueue(tx, 'reevaluate-workspace', { orgId: tx.orgId, cause });
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
