import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Lets no gate of a workspace be answered by what was decided before a freeze was made or lifted. */
@Injectable()
export class WorkspaceDoubt {
  constructor(
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Has every release thought over that may be deployed, or only is not because of a freeze. It waits for those that are
   * being judged at this moment: they may have read the freezes as they were.
   */
  async raise(tx: TenantTx, cause: string): Promise<void> {
    await tx.query(
      `with locked as (
         select id, stage, open_until from release where deleted_at is null order by id for no key update)
       update release set valid_until = '-infinity', invalidated_at = coalesce(release.invalidated_at, $1) from locked
       where release.id = locked.id and (locked.stage in ('DEPLOYMENT', 'DEPLOYED') or locked.open_until is not null)`,
      [this.clock.now()],
    );
    await this.jobs.enqueue(tx, 'judge-workspace', { orgId: tx.orgId, cause });
  }

  /** The next releases to be thought over, in the order of their ids; those that were shipped are when they are asked about. */
  async listNext(tx: TenantTx, after: string | null, limit: number): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select id from release
       where deleted_at is null and shipped_at is null and (stage = 'DEPLOYMENT' or open_until is not null)
         and ($1::uuid is null or id > $1) order by id limit $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }
}
