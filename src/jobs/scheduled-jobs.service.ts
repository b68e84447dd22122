import { Inject, Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression, Timeout } from '@nestjs/schedule';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { JobName } from './job.js';
import { JobsService } from './jobs.service.js';

const MINUTE_MS = 60_000;

/** The interval of each scheduled job in minutes. An interval below one minute counts as one minute. */
export const scheduledJobs = ({ syncIntervalMs, redeliveryIntervalMs }: Environment) =>
  ({
    'sync-all': minutes(syncIntervalMs),
    'find-missed-deliveries': minutes(redeliveryIntervalMs),
    // Membership facts expire after 15 minutes. Refreshed this often, they do not expire while GitHub answers.
    'renew-all-members': 5,
    'wipe-host-tokens': 1,
    upkeep: 60,
  }) as const satisfies Partial<Record<JobName, number>>;

type ScheduledJob = keyof ReturnType<typeof scheduledJobs>;

const minutes = (intervalMs: number): number => Math.max(1, Math.round(intervalMs / MINUTE_MS));

/**
 * Enqueues the scheduled jobs. Every process that runs jobs tries every minute. The database gives each interval to one of them, so
 * a job is enqueued once for all processes. An interval that passed while no process ran is made up for at the start.
 *
 * Nothing runs unless the application imports `ScheduleModule`.
 */
@Injectable()
export class ScheduledJobsService {
  private readonly logger = new Logger(ScheduledJobsService.name);
  private readonly intervals: Readonly<Record<ScheduledJob, number>>;

  constructor(
    private readonly jobs: JobsService,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.intervals = scheduledJobs(environment);
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async syncAllInstallations(): Promise<void> {
    await this.enqueue('sync-all');
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async findMissedDeliveries(): Promise<void> {
    await this.enqueue('find-missed-deliveries');
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async refreshAllMembers(): Promise<void> {
    await this.enqueue('renew-all-members');
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async deleteExpiredRepositoryTokens(): Promise<void> {
    await this.enqueue('wipe-host-tokens');
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async deleteExpiredData(): Promise<void> {
    await this.enqueue('upkeep');
  }

  /** Enqueues at the start what became due while no process ran. */
  @Timeout(0)
  async enqueueDue(): Promise<void> {
    for (const name of Object.keys(this.intervals) as ScheduledJob[]) await this.enqueue(name);
  }

  private async enqueue(name: ScheduledJob): Promise<void> {
    try {
      await this.jobs.enqueueScheduled(name, {}, this.intervals[name]);
    } catch (error) {
      // Nothing is lost: the interval stays due, and the next minute tries again.
      this.logger.warn(`The scheduled job ${name} was not enqueued; the next minute tries again: ${String(error)}`);
    }
  }
}
