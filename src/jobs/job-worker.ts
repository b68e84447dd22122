import { EventEmitter, once } from 'node:events';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  Logger as QueueLogger,
  parseCronItems,
  run,
  type CronItem,
  type JobHelpers,
  type Runner,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { Database } from '../database/database.js';
import { within } from '../database/fence.js';
import type { JobName, JobPayloads } from './job.js';
import { fenceOf } from './job-fence.js';
import { JobHandlers } from './job-handlers.js';
import { WorkerPresence } from './worker-presence.js';

const CONCURRENCY = 6;
/** Work that does not end in this time after a shutdown began is given up, and done again elsewhere. */
const SHUTDOWN_MS = 15_000;
/** When to look for the next job of a queue after one of it was done, in milliseconds. */
const LOOK_AGAIN_MS = [10, 100] as const;

/** Does the jobs of the queue, in processes whose role it is. */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger(JobWorker.name);
  private runner: Runner | null = null;

  constructor(
    private readonly handlers: JobHandlers,
    private readonly database: Database,
    private readonly presence: WorkerPresence,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async start(schedule: readonly CronItem[] = []): Promise<void> {
    if (this.environment.role === 'web') return;
    const events: WorkerEvents = new EventEmitter();
    const pool = once(events, 'pool:create');
    this.runner = await run({
      pgPool: this.database.pool,
      taskList: this.taskList(),
      parsedCronItems: parseCronItems([...schedule]),
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: SHUTDOWN_MS,
      logger: new QueueLogger(() => (level, message) => this.log(level, message)),
      events,
    });
    const [{ workerPool }] = (await pool) as [{ workerPool: WorkerPool }];
    events.on('job:complete', ({ job }) => {
      if (job.job_queue_id !== null) this.lookAgain(workerPool);
    });
    void this.runner.promise.then(
      () => (this.runner = null),
      () => (this.runner = null),
    );
    await this.presence.start(workerPool.id);
  }

  /** Takes no new job, waits for those under way, and lets others do what is left at once. */
  async stop(): Promise<void> {
    const { runner } = this;
    this.runner = null;
    if (runner) await runner.stop();
    await this.presence.stop();
  }

  /**
   * The library does not wait until a job's queue is free again before its worker looks for the next job. What is next
   * in that queue would be missed until the next poll, seconds later.
   */
  private lookAgain(pool: WorkerPool): void {
    for (const delay of LOOK_AGAIN_MS) {
      setTimeout(() => {
        if (this.runner) pool.nudge(1);
      }, delay).unref();
    }
  }

  private taskList(): TaskList {
    return Object.fromEntries(
      this.handlers.entries().map(([name, handler]) => [
        name,
        (payload: unknown, { abortSignal, job }: JobHelpers) =>
          within(fenceOf(job), async () => {
            await handler(payload as JobPayloads[JobName], {
              signal: abortSignal,
              lastTry: job.attempts >= job.max_attempts,
            });
            // The library strikes a job off by its number alone, also one that is in others' hands by now.
            await this.database.proveFence();
          }),
      ]),
    );
  }

  /** The queue's own failures are warnings: it tries again by itself, and what is given up is counted as dead. */
  private log(level: string, message: string): void {
    if (level === 'error' || level === 'warning') this.logger.warn(message);
    else this.logger.debug(message);
  }
}
