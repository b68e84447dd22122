import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Cron, Timeout } from '@nestjs/schedule';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { JobName } from './job.js';
import { JobsService } from './jobs.service.js';

const MINUTE_MS = 60_000;

/** The interval of each scheduled job in minutes. An interval below one minute counts as one minute. */
export const scheduledJobs = ({ syncIntervalMs, redeliveryIntervalMs }: Environment) =>
  ({
    'sync-all-installations': minutes(syncIntervalMs),
    'find-missed-deliveries': minutes(redeliveryIntervalMs),
    // Membership facts expire after 15 minutes. With this interval they do not expire while GitHub answers.
    'refresh-all-members': 5,
    'delete-expired-repository-tokens': 1,
    'delete-expired-data': 60,
  }) as const satisfies Partial<Record<JobName, number>>;

type ScheduledJob = keyof ReturnType<typeof scheduledJobs>;

const minutes = (intervalMs: number): number => Math.max(1, Math.round(intervalMs / MINUTE_MS));

/**
 * Enqueues the scheduled jobs. Every process that runs jobs tries every minute. The database gives each interval to one of them, so
 * a job is enqueued once for all processes. If an interval passed while no process ran, the start enqueues its job.
 *
 * Nothing runs unless the application imports `ScheduleModule`.
 */
@Injectable()
export class ScheduledJobsService implements OnModuleDestroy {
  private readonly logger = new Logger(ScheduledJobsService.name);
  private readonly intervals: Readonly<Record<ScheduledJob, number>>;
  private isStopped = false;

  constructor(
    private readonly jobs: JobsService,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.intervals = scheduledJobs(environment);
  }

  /** The database is closed next. What was not enqueued stays due. */
  onModuleDestroy(): void {
    this.isStopped = true;
  }

  /** Enqueues the jobs that became due while no process ran. A separate method, because a method has only one schedule. */
  @Timeout(0)
  async enqueueMissed(): Promise<void> {
    await this.enqueueDue();
  }

  /**
   * Enqueues every job whose interval is due, one after the other. It runs every minute: five seconds into it, because intervals begin
   * with a minute and clocks differ a little.
   */
  @Cron('5 * * * * *')
  async enqueueDue(): Promise<void> {
    for (const name of Object.keys(this.intervals) as ScheduledJob[]) {
      if (this.isStopped) return;
      await this.enqueue(name);
    }
  }

  private async enqueue(name: ScheduledJob): Promise<void> {
    try {
      await this.jobs.enqueueScheduled(name, {}, this.intervals[name]);
    } catch (error) {
      if (this.isStopped) return;
      // Nothing is lost: the interval stays due, and the next minute tries again.
      this.logger.warn(`The scheduled job ${name} was not enqueued; the next minute tries again: ${String(error)}`);
    }
  }
}
