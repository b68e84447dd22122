import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Logger as QueueLogger, type JobHelpers, type TaskList } from 'graphile-worker';
import pTimeout from 'p-timeout';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database } from '../../database/database.js';
import { runWithFence } from '../../database/fence.js';
import type { JobName, JobPayload } from '../job.js';
import { JobHandlers } from '../job-handlers.js';
import { createJobFence } from './job-fence.js';
import { JobWorkerPool } from './worker-pool.js';

const RETRY_MS = 500;
/** How long a crew that is of no more use may take to end what it is at before the next one begins beside it. */
const LAST_WORK_MS = 2_000;

/** Does the jobs of the queue, in processes whose role it is, with one crew of workers after the other. */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger(JobWorker.name);
  private readonly stopping = new AbortController();
  private crew: JobWorkerPool | null = null;
  private succession: Promise<void> = Promise.resolve();

  constructor(
    private readonly handlers: JobHandlers,
    private readonly database: Database,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async start(): Promise<void> {
    if (this.environment.role === 'web') return;
    await this.begin();
  }

  /** Takes no new job, waits for those under way, and lets others do what is left at once. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.succession;
    await this.crew?.stop();
    this.crew = null;
  }

  private async begin(): Promise<void> {
    const logger = new QueueLogger(() => (level, message) => this.log(level, message));
    const crew = await JobWorkerPool.start(this.database, { tasks: this.taskList(), logger });
    this.crew = crew;
    void this.watch(crew);
  }

  private async watch(crew: JobWorkerPool): Promise<void> {
    await crew.lost;
    if (!this.stopping.signal.aborted) this.succession = this.succeed(crew);
  }

  /** What the old crew held is given back by the new one as soon as that begins. */
  private async succeed(crew: JobWorkerPool): Promise<void> {
    this.logger.warn('The database was lost in the middle of work; other workers take over.');
    this.crew = null;
    await crew.abandonJobs();
    const { signal } = this.stopping;
    await pTimeout(crew.stop(), { milliseconds: LAST_WORK_MS, message: false });
    while (!signal.aborted) {
      try {
        await this.begin();
        return;
      } catch (error) {
        this.logger.debug(`Workers could not begin: ${String(error)}`);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private taskList(): TaskList {
    return Object.fromEntries(
      this.handlers.entries().map(([name, handler]) => [
        name,
        (payload: unknown, { abortSignal, job }: JobHelpers) =>
          runWithFence(createJobFence(job), async () => {
            await handler(payload as JobPayload<JobName>, {
              signal: abortSignal,
              isLastAttempt: job.attempts >= job.max_attempts,
            });
            // The library strikes a job off by its number alone, also one that is in others' hands by now.
            await this.database.assertFence();
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
