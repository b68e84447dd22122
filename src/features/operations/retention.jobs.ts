import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS } from '../../auth/session/session-lifetime.js';
import { Clock } from '../../config/clock.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { RetentionRepository } from './retention.repository.js';

const HOUR_MS = 3_600_000;
/** GitHub offers deliveries for redelivery for a few days; longer than that none is asked for again. */
const DELIVERY_RETENTION_MS = 8 * 24 * HOUR_MS;
/** As long as a delivery: whoever watches the queue has seen by then that something was not done. */
const FAILED_JOB_RETENTION_MS = 8 * 24 * HOUR_MS;
/** An identity token lives minutes; after a day nobody can present it again. */
const TOKEN_USE_RETENTION_MS = 24 * HOUR_MS;
/** A release comes back to what it rested on before, as when a branch is reset; after a week it is read anew. */
const OBSERVATION_RETENTION_MS = 7 * 24 * HOUR_MS;
const IDEMPOTENCY_RETENTION_MS = 24 * HOUR_MS;
/** No session lives longer, so what was not used since then has ended in every way. */
const SESSION_RETENTION_MS = ABSOLUTE_TIMEOUT_MS;
const LOGIN_RETENTION_MS = HOUR_MS;

/** Forgets what is kept for a while only, and keeps what is counted short. */
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
      this.logger.warn(`Given-up jobs are forgotten: ${jobs} of ${name}.`);
    }
  }
}
