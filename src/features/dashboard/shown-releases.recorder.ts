import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';
import type { DatedCard } from './release-cards.reader.js';

/** A release that was thought over just now lacks what the code host does not tell, and asking at each look helps nobody. */
const PAUSE_MS = 60_000;

/** Has releases read anew that a page showed by facts which are too old. */
@Injectable()
export class ShownReleases {
  constructor(
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** One job at a time for a workspace, of one page: the next page that is looked at takes the place of a waiting one. */
  async askForRefresh(tx: TenantTx, shown: readonly DatedCard[]): Promise<void> {
    const thoughtOverBefore = this.clock.now().getTime() - PAUSE_MS;
    const releaseIds = shown
      .filter(({ stale, evaluatedAt }) => stale && (evaluatedAt?.getTime() ?? 0) < thoughtOverBefore)
      .map(({ card }) => card.milestoneId);
    if (releaseIds.length === 0) return;
    await this.jobs.add(
      tx,
      'refresh-shown',
      { orgId: tx.orgId, releaseIds },
      { key: `refresh-shown:${tx.orgId}`, queue: { kind: 'refresh-shown', of: tx.orgId }, keepDelay: true },
    );
  }
}
