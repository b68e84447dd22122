import { isNativeError } from 'node:util/types';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Logger as QueueLogger, type JobHelpers, type TaskList } from 'graphile-worker';
import pTimeout from 'p-timeout';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database } from '../../database/database.js';
import { runWithFence } from '../../database/fence.js';
import { traced } from '../../observability/tracing.js';
import type { JobName, JobPayload } from '../job.js';
import { JobHandlers } from '../job-handlers.js';
import { createJobFence } from './job-fence.js';
import { JobMetrics } from './job.metrics.js';
import { JobWorkerPool, STOP_LIMIT_MS } from './worker-pool.js';

const RETRY_MS = 500;
/** How long a lost pool may take to end its jobs before the next pool starts. */
const LAST_JOBS_MS = 2_000;
/** A pool that is lost sooner after its start than this has run its jobs in vain. */
const SHORT_LIFE_MS = 30_000;
const MAX_PAUSE_MS = 8_000;

/**
 * The pause before a lost pool is replaced. It grows while pools are lost soon after their start, for example while the disk of the
 * database is full, because each pool repeats the same jobs.
 */
export class ReplacementPause {
  private shortLives = 0;

  /** Returns the pause in milliseconds before the replacement of a pool that lived for `lifetimeMs`. */
  next(lifetimeMs: number): number {
    this.shortLives = lifetimeMs < SHORT_LIFE_MS ? this.shortLives + 1 : 0;
    return this.shortLives < 2 ? 0 : Math.min(RETRY_MS * 2 ** (this.shortLives - 2), MAX_PAUSE_MS);
  }
}

/** A payload with the span that enqueued the job, if traces were on then. */
type TracedPayload = JobPayload<JobName> & { readonly traceparent?: string };

/** Runs the jobs of the queue in processes with a worker role. A pool that lost the database is replaced by a new one. */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger(JobWorker.name);
  private readonly stopping = new AbortController();
  private pool: JobWorkerPool | null = null;
  private replacement: Promise<void> = Promise.resolve();
  private readonly pause = new ReplacementPause();

  constructor(
    private readonly handlers: JobHandlers,
    private readonly database: Database,
    private readonly metrics: JobMetrics,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async start(): Promise<void> {
    if (this.environment.role === 'web') return;
    await this.startPool();
  }

  /**
   * Takes no new job, waits for the running jobs, and releases those that do not end in time. If the database does not answer, the end of
   * the process releases them.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    const warn = (): void => this.logger.warn('Jobs did not end in time. Another worker repeats them.');
    await pTimeout(this.stopPool(), { milliseconds: STOP_LIMIT_MS, fallback: warn });
  }

  private async stopPool(): Promise<void> {
    await this.replacement;
    await this.pool?.stop();
    this.pool = null;
  }

  private async startPool(): Promise<void> {
    const logger = new QueueLogger(() => (level, message, meta) => this.log(level, message, meta?.['error']));
    const pool = await JobWorkerPool.start(this.database, { tasks: this.taskList(), logger });
    this.pool = pool;
    void this.watch(pool);
  }

  private async watch(pool: JobWorkerPool): Promise<void> {
    const startedAt = performance.now();
    await pool.lost;
    const pauseMs = this.pause.next(performance.now() - startedAt);
    if (!this.stopping.signal.aborted) this.replacement = this.replace(pool, pauseMs);
  }

  /** Stops a lost pool and starts a new one, which releases the jobs of the lost pool. */
  private async replace(lost: JobWorkerPool, pauseMs: number): Promise<void> {
    this.logger.warn('The worker pool lost the database. A new pool replaces it.');
    this.pool = null;
    await lost.abandonJobs();
    const { signal } = this.stopping;
    await pTimeout(lost.stop(), { milliseconds: LAST_JOBS_MS, message: false });
    await this.wait(pauseMs);
    while (!signal.aborted) {
      try {
        await this.startPool();
        return;
      } catch (error) {
        this.logger.debug(`Worker pool did not start: ${String(error)}`);
        await this.wait(RETRY_MS);
      }
    }
  }

  /** Resolves after the time, or when the worker stops. */
  private async wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private taskList(): TaskList {
    return Object.fromEntries(
      this.handlers.entries().map(([name, handler]) => [
        name,
        async (payload: unknown, { job }: JobHelpers): Promise<void> => {
          const isLastAttempt = job.attempts >= job.max_attempts;
          const { traceparent, ...own } = payload as TracedPayload;
          const span = {
            name: `job ${name}`,
            kind: 'consumer',
            attributes: { attempt: job.attempts },
            parent: traceparent,
          } as const;
          return runWithFence(createJobFence(job), () =>
            this.metrics.measure(name, isLastAttempt, () =>
              traced(span, async () => {
                await handler(own, { isLastAttempt });
                // The library completes a job by its id alone, even if another worker holds it now.
                await this.database.assertFence();
              }),
            ),
          );
        },
      ]),
    );
  }

  /**
   * Failures of the queue are warnings: the library retries, and a metric counts the jobs that failed in every attempt. The cause shows
   * whether a line is about an outage.
   */
  private log(level: string, message: string, error: unknown): void {
    const cause = isNativeError(error) && !message.includes(error.message) ? `: ${error.message}` : '';
    if (level === 'error' || level === 'warning') this.logger.warn(`${message}${cause}`);
    else this.logger.debug(message);
  }
}
