import { Inject, Injectable, Logger } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS } from '../../auth/session/session-lifetime.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import { ReportStorageService } from '../evidence/storage/report-storage.service.js';
import { RetentionRepository } from './retention.repository.js';

const HOUR_MS = 3_600_000;
/** Identity tokens expire after minutes and cannot be used again after a day. */
const TOKEN_USE_RETENTION_MS = 24 * HOUR_MS;
/** A release may need an earlier observation again, for example after a branch is reset. After a week it is read from GitHub. */
const OBSERVATION_RETENTION_MS = 7 * 24 * HOUR_MS;
const IDEMPOTENCY_RETENTION_MS = 24 * HOUR_MS;
/** The maximum lifetime of a session. */
const SESSION_RETENTION_MS = ABSOLUTE_TIMEOUT_MS;
const LOGIN_RETENTION_MS = HOUR_MS;
/** Longer than a month, because uploads of one month write to the same location. A restored backup still finds the files. */
const REMOVED_FILE_DAYS = 40;

const daysBefore = (now: number, days: number): Date => new Date(now - days * 24 * HOUR_MS);

/** Deletes expired rows and compacts the count tables. */
@Injectable()
export class RetentionJobs {
  private readonly logger = new Logger(RetentionJobs.name);

  constructor(
    private readonly repository: RetentionRepository,
    private readonly reports: ReportStorageService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  @JobHandler('delete-expired-data')
  async deleteExpired(): Promise<void> {
    const now = this.clock.earliestNow().getTime();
    await this.deleteOldWork(now);
    await this.repository.deleteOldRateWindows(new Date(now - HOUR_MS));
    await this.repository.deleteOldSessions({
      usedBefore: new Date(now - SESSION_RETENTION_MS),
      loginsBefore: new Date(now - LOGIN_RETENTION_MS),
    });
    await this.repository.deleteOldObservations(new Date(now - OBSERVATION_RETENTION_MS));
    await this.repository.deleteOldUploadKeys({
      tokenUsesBefore: new Date(now - TOKEN_USE_RETENTION_MS),
      keysBefore: new Date(now - IDEMPOTENCY_RETENTION_MS),
    });
    await this.deleteUnneeded(now);
    await this.repository.compactCounts();
    await this.repository.mergeHints();
  }

  private async deleteOldWork(now: number): Promise<void> {
    const { deliveries, failedJobs } = this.environment.retentionDays;
    if (deliveries !== null) await this.repository.deleteOldDeliveries(daysBefore(now, deliveries));
    // Jobs that a later one replaced are deleted in any case.
    await this.deleteFailedJobs(failedJobs === null ? new Date(0) : daysBefore(now, failedJobs));
  }

  private async deleteUnneeded(now: number): Promise<void> {
    const { unshipped, invites, accounts } = this.environment.retentionDays;
    const before = (days: number): Date => daysBefore(now, days);
    if (invites !== null) await this.repository.deleteEndedInvites(before(invites));
    if (accounts !== null) await this.repository.deleteUnusedAccounts(before(accounts));
    if (unshipped !== null) {
      const { releases, reports, decisions } = await this.repository.archiveUnshippedReleases(before(unshipped));
      if (releases > 0) {
        this.logger.log(`Archived ${releases} releases: deleted ${reports} report files and ${decisions} decisions.`);
      }
    }
    for (const orgId of await this.repository.listWorkspaces()) {
      await this.reports.deleteRemoved(orgId, before(REMOVED_FILE_DAYS));
    }
  }

  private async deleteFailedJobs(before: Date): Promise<void> {
    for (const { name, jobs } of await this.repository.deleteFailedJobs(before)) {
      this.logger.warn(`Deleted failed jobs: ${jobs} of ${name}.`);
    }
  }
}
