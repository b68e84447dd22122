import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { DatedReleaseSummary } from './release-summaries.queries.js';

/**
 * How long a release is not refreshed again after an evaluation, in milliseconds. Another read would not provide a fact that
 * GitHub has just not provided.
 */
const PAUSE_MS = 60_000;

/** Enqueues a refresh of the stale releases of a page. */
@Injectable()
export class StaleReleasesService {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  async enqueueRefresh(tx: TenantTransaction, visible: readonly DatedReleaseSummary[]): Promise<void> {
    const releaseIds = this.listOutdated(visible);
    if (releaseIds.length > 0) await this.enqueue(tx, releaseIds);
  }

  /** Does the same after a read-only request, in its own transaction, if there is a stale release. */
  async enqueueRefreshOnRead(orgId: OrgId, visible: readonly DatedReleaseSummary[]): Promise<void> {
    const releaseIds = this.listOutdated(visible);
    if (releaseIds.length > 0) await this.database.inTenant(orgId, (tx) => this.enqueue(tx, releaseIds));
  }

  private listOutdated(visible: readonly DatedReleaseSummary[]): readonly string[] {
    const evaluatedBefore = this.clock.now().getTime() - PAUSE_MS;
    return visible
      .filter(({ stale, evaluatedAt }) => stale && (evaluatedAt?.getTime() ?? 0) < evaluatedBefore)
      .map(({ summary }) => summary.milestoneId);
  }

  private async enqueue(tx: TenantTransaction, releaseIds: readonly string[]): Promise<void> {
    await this.jobs.enqueue(tx, 'refresh-listed-releases', { orgId: tx.orgId, releaseIds });
  }
}
