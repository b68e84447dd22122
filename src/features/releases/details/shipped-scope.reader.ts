import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { IssueFact } from '../../../domain/facts/facts.js';
import type { ObservedPart } from './observed-part.js';

/** What was in a release when it was shipped. */
@Injectable()
export class ShippedScope {
  /** As the history keeps it, whatever became of its issues since; null where the history has no scope of it. */
  async find(tx: TenantTx, releaseId: string): Promise<ObservedPart<readonly IssueFact[]> | null> {
    const [row] = await tx.query<{ readonly scope: readonly IssueFact[]; readonly recorded_at: Date }>(
      `select scope, recorded_at from history_record where release_id = $1 and scope is not null
       order by recorded_at limit 1`,
      [releaseId],
    );
    return row ? { status: 'current', reason: null, observedAt: row.recorded_at, value: row.scope } : null;
  }
}
