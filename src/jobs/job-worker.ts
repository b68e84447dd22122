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
import type { JobName, JobPayloads } from './job.js';
import { JobHandlers } from './job-handlers.js';
import { WorkerPresence } from './worker-presence.js';

const CONCURRENCY = 6;
/** Work that does not end in this time after a shutdown began is given up, and done again elsewhere. */
const SHUTDOWN_MS = 15_000;

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
    await this.presence.start(workerPool.id);
  }

  /** Takes no new job, waits for those under way, and lets others do what is left at once. */
  async stop(): Promise<void> {
    const { runner } = this;
    this.runner = null;
    if (runner) await runner.stop();
    await this.presence.stop();
  }

  private taskList(): TaskList {
    return Object.fromEntries(
      this.handlers
        .entries()
        .map(([name, handler]) => [
          name,
          (payload: unknown, { abortSignal, job }: JobHelpers) =>
            handler(payload as JobPayloads[JobName], {
              signal: abortSignal,
              lastTry: job.attempts >= job.max_attempts,
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
