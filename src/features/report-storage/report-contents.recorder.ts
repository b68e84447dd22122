import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Placement } from './report-store.js';

/** What the row holds of content that lies somewhere else. */
const ELSEWHERE = new Uint8Array();

/** Content that lies where it will be read, and waits for the row that speaks of it. */
export interface PlacedContent {
  readonly sha256: string;
  readonly placement: Placement;
}

/** Notes what content a workspace has, once under each digest. */
@Injectable()
export class ReportContents {
  async record(tx: TenantTx, { sha256, placement }: PlacedContent): Promise<void> {
    const { bytes, location } = { bytes: ELSEWHERE, location: null, ...placement };
    await tx.query(
      `insert into report_content (org_id, sha256, bytes, location) values ($1, $2, $3, $4)
       on conflict (org_id, sha256) do nothing`,
      [tx.orgId, sha256, bytes, location],
    );
  }
}
