import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ABSOLUTE_TIMEOUT_MS } from '../../auth/session/session-lifetime.js';
import { Clock } from '../../config/clock.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { RetentionRepository } from './retention.repository.js';

const HOUR_MS = 3_600_000;
/** GitHub offers deliveries for redelivery for a few days; longer than that none is asked for again. */
const DELIVERIES_KEPT_MS = 8 * 24 * HOUR_MS;
/** As long as a delivery: whoever watches the queue has seen by then that something was not done. */
const GIVEN_UP_JOBS_KEPT_MS = 8 * 24 * HOUR_MS;
/** An identity token lives minutes; after a day nobody can present it again. */
const TOKEN_USES_KEPT_MS = 24 * HOUR_MS;
/** A release comes back to what it rested on before, as when a branch is reset; after a week it is read anew. */
const OBSERVATIONS_KEPT_MS = 7 * 24 * HOUR_MS;
const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS;
/** No session lives longer, so what was not used since then has ended in every way. */
const SESSIONS_KEPT_MS = ABSOLUTE_TIMEOUT_MS;
const LOGINS_KEPT_MS = HOUR_MS;

/** Forgets what is kept for a while only, and keeps what is counted short. */
@Injectable()
export class RetentionJobs implements OnModuleInit {
  private readonly logger = new Logger(RetentionJobs.name);

  constructor(
    private readonly upkeep: RetentionRepository,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('delete-expired-data', () => this.deleteExpired());
  }

  async deleteExpired(): Promise<void> {
    const now = this.clock.now().getTime();
    await this.upkeep.forgetDeliveries(new Date(now - DELIVERIES_KEPT_MS));
    await this.forgetGivenUpJobs(new Date(now - GIVEN_UP_JOBS_KEPT_MS));
    await this.upkeep.forgetRateWindows(new Date(now - HOUR_MS));
    await this.upkeep.forgetSessions({
      usedBefore: new Date(now - SESSIONS_KEPT_MS),
      loginsBefore: new Date(now - LOGINS_KEPT_MS),
    });
    await this.upkeep.forgetObservations(new Date(now - OBSERVATIONS_KEPT_MS));
    await this.upkeep.forgetUploads({
      tokenUsesBefore: new Date(now - TOKEN_USES_KEPT_MS),
      keysBefore: new Date(now - IDEMPOTENCY_KEPT_MS),
    });
    await this.upkeep.compactCounts();
    await this.upkeep.mergeHints();
  }

  private async forgetGivenUpJobs(before: Date): Promise<void> {
    for (const { name, jobs } of await this.upkeep.forget(before)) {
      this.logger.warn(`Given-up jobs are forgotten: ${jobs} of ${name}.`);
    }
  }
}
