import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { DatedReleaseSummary } from './release-summaries.queries.js';

/** A release that was thought over just now lacks what the code host does not tell, and asking at each look helps nobody. */
const PAUSE_MS = 60_000;

/** Has releases read anew that a page showed by facts which are too old. */
@Injectable()
export class StaleReleasesService {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  async enqueueRefresh(tx: TenantTransaction, shown: readonly DatedReleaseSummary[]): Promise<void> {
    const releaseIds = this.outdated(shown);
    if (releaseIds.length > 0) await this.ask(tx, releaseIds);
  }

  /** The same for a page that was only read: in a transaction of its own, where there is anything to ask for. */
  async askAfterReading(orgId: OrgId, shown: readonly DatedReleaseSummary[]): Promise<void> {
    const releaseIds = this.outdated(shown);
    if (releaseIds.length > 0) await this.database.inTenant(orgId, (tx) => this.ask(tx, releaseIds));
  }

  private outdated(shown: readonly DatedReleaseSummary[]): readonly string[] {
    const thoughtOverBefore = this.clock.now().getTime() - PAUSE_MS;
    return shown
      .filter(({ stale, evaluatedAt }) => stale && (evaluatedAt?.getTime() ?? 0) < thoughtOverBefore)
      .map(({ card }) => card.milestoneId);
  }

  private async ask(tx: TenantTransaction, releaseIds: readonly string[]): Promise<void> {
    await this.jobs.enqueue(tx, 'refresh-shown', { orgId: tx.orgId, releaseIds });
  }
}
