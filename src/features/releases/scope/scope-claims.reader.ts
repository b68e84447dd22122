import { Injectable } from '@nestjs/common';
import { aheadOf } from '../../../auth/session/session-lifetime.js';
import type { TenantTx } from '../../../database/database.js';

/** Longer than a change may take, so that nobody else begins one while an answer of the host is waited for. */
export const CLAIM_LIFE_MS = 45_000;

/** Whether somebody changes the scope of a release. */
@Injectable()
export class ScopeClaimsReader {
  /** One that reaches further than any can by now was made by a clock that was wrong, and keeps nothing waiting. */
  async isChanging(tx: TenantTx, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from scope_claim where release_id = $1 and until > $2 and until <= $3 limit 1`,
      [releaseId, now, aheadOf(new Date(now.getTime() + CLAIM_LIFE_MS))],
    );
    return rows.length > 0;
  }
}
