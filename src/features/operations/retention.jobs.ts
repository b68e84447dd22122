import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS } from '../../auth/session/session-lifetime.js';
import { Clock } from '../../config/clock.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { RetentionRepository } from './retention.repository.js';

const HOUR_MS = 3_600_000;
/** GitHub can redeliver a delivery for a few days. */
const DELIVERY_RETENTION_MS = 8 * 24 * HOUR_MS;
/** As long as deliveries, so that the operator can see failed jobs. */
const FAILED_JOB_RETENTION_MS = 8 * 24 * HOUR_MS;
/** Identity tokens expire after minutes and cannot be used again after a day. */
const TOKEN_USE_RETENTION_MS = 24 * HOUR_MS;
/** A release may need an earlier observation again, for example after a branch is reset. After a week it is read from GitHub. */
const OBSERVATION_RETENTION_MS = 7 * 24 * HOUR_MS;
const IDEMPOTENCY_RETENTION_MS = 24 * HOUR_MS;
/** The maximum lifetime of a session. */
const SESSION_RETENTION_MS = ABSOLUTE_TIMEOUT_MS;
const LOGIN_RETENTION_MS = HOUR_MS;

/** Deletes expired rows and compacts the count tables. */
@Injectable()
export class RetentionJobs implements OnModuleInit {
  private readonly logger = new Logger(RetentionJobs.name);

  constructor(
    private readonly repository: RetentionRepository,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('delete-expired-data', () => this.deleteExpired());
  }

  async deleteExpired(): Promise<void> {
    const now = this.clock.now().getTime();
    await this.repository.deleteOldDeliveries(new Date(now - DELIVERY_RETENTION_MS));
    await this.deleteFailedJobs(new Date(now - FAILED_JOB_RETENTION_MS));
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
    await this.repository.compactCounts();
    await this.repository.mergeHints();
  }

  private async deleteFailedJobs(before: Date): Promise<void> {
    for (const { name, jobs } of await this.repository.deleteFailedJobs(before)) {
      this.logger.warn(`Deleted failed jobs: ${jobs} of ${name}.`);
    }
  }
}
