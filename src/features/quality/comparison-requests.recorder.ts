import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Has the tests of releases compared that a page showed without that. */
@Injectable()
export class ComparisonRequests {
  constructor(private readonly jobs: Jobs) {}

  /** One job waits at a time in a workspace, of one page: the next page that is looked at takes the place of a waiting one. */
  async askFor(tx: TenantTx, releaseIds: readonly string[]): Promise<void> {
    if (releaseIds.length === 0) return;
    await this.jobs.add(
      tx,
      'compare-tests',
      { orgId: tx.orgId, releaseIds },
      { key: `compare-tests:${tx.orgId}`, queue: { kind: 'compare-tests', of: tx.orgId } },
    );
  }
}
