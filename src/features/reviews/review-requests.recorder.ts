import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Has the facts read anew by which a person could not be told whether they may review. */
@Injectable()
export class ReviewRequests {
  constructor(private readonly jobs: Jobs) {}

  /** One job at a time for a person, and one after the other for a workspace: the next page that is looked at takes the place of a waiting one. */
  async askFor(tx: TenantTx, person: number, releaseIds: readonly string[]): Promise<void> {
    if (releaseIds.length === 0) return;
    await this.jobs.add(
      tx,
      'refresh-reviews',
      { orgId: tx.orgId, person, releaseIds },
      { key: `refresh-reviews:${tx.orgId}:${person}`, queue: { kind: 'refresh-shown', of: tx.orgId }, keepDelay: true },
    );
  }
}
