import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { Placement } from './report-store.js';

/** What the row holds of content that lies somewhere else. */
const ELSEWHERE = { bytes: new Uint8Array(), deflated: [] };

/** Content that lies where it will be read, and waits for the rows that speak of it. */
export interface PlacedContent {
  readonly sha256: string;
  /** In bytes, as it was uploaded. */
  readonly size: number;
  readonly placement: Placement;
}

/** Notes what content a workspace has, once under each digest. */
@Injectable()
export class ReportContents {
  /** Answers how many bytes that has stored, wherever they lie: none where the content was there already. */
  async record(tx: TenantTx, { sha256, size, placement }: PlacedContent): Promise<number> {
    const { bytes, deflated, location } = { ...ELSEWHERE, location: null, ...placement };
    const recorded = await tx.query(
      `insert into report_content (org_id, sha256, bytes, location) values ($1, $2, $3, $4)
       on conflict (org_id, sha256) do nothing returning sha256`,
      [tx.orgId, sha256, bytes, location],
    );
    // Whoever recorded it has recorded all of it: this waited for the end of their transaction.
    if (recorded.length === 0) return 0;
    for (const [index, block] of deflated.entries()) {
      await tx.query(`insert into report_content_block (org_id, sha256, position, deflated) values ($1, $2, $3, $4)`, [
        tx.orgId,
        sha256,
        index + 1,
        block,
      ]);
    }
    return location === null ? deflated.reduce((sum, { length }) => sum + length, bytes.length) : size;
  }
}
