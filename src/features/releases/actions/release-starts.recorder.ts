import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';

/** Writes down by whom releases were started. */
@Injectable()
export class ReleaseStarts {
  /** False where it was started before: the first start stands. */
  async record(tx: TenantTx, releaseId: string, login: string, now: Date): Promise<boolean> {
    const started = await tx.query(
      `update release set started_at = $2, started_by = $3, updated_at = $2 where id = $1 and started_at is null
       returning id`,
      [releaseId, now, login],
    );
    return started.length > 0;
  }
}
