import { EventEmitter, once } from 'node:events';
import {
  run,
  type Logger as QueueLogger,
  type Runner,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import pTimeout from 'p-timeout';
import type { Database } from '../../database/database.js';
import { isUnreached } from '../../database/outage.js';
import { WorkerHeartbeat } from './worker-heartbeat.js';

const CONCURRENCY = 6;
/** A job that does not end in this time after the pool was stopped is released, and another worker repeats it. */
const SHUTDOWN_MS = 15_000;
/** The longest time of a stop. Without the database neither the library nor the heartbeat end. Shorter than the shutdown step. */
export const STOP_LIMIT_MS = 17_000;
/** The delays of the requests for the next job after a job of a queue, in milliseconds. */
const NUDGE_DELAYS_MS = [10, 100] as const;

interface PoolSettings {
  readonly tasks: TaskList;
  readonly logger: QueueLogger;
}

/** The workers with one id in the queue, and their heartbeat. */
export class JobWorkerPool {
  /**
   * Resolves if the pool ended by itself, if the connection was lost during a request for a job, or if the result of a job could not be
   * stored. The database may hold a job or a queue for this pool, and no other pool would run it while this pool is alive. After a
   * result that was not stored, the library stops the pool, but may wait forever for its end. The next pool repeats the jobs that still run.
   */
  readonly lost: Promise<void>;

  private constructor(
    private readonly runner: Runner,
    events: WorkerEvents,
    private readonly heartbeat: WorkerHeartbeat,
  ) {
    this.lost = new Promise((resolve) => {
      events.on('worker:getJob:error', ({ error }) => {
        // Without a connection, the database did not receive the request for a job.
        if (!isUnreached(error)) resolve();
      });
      events.on('pool:fatalError', () => resolve());
      void runner.promise.then(resolve, () => resolve());
    });
  }

  static async start(database: Database, { tasks, logger }: PoolSettings): Promise<JobWorkerPool> {
    const events: WorkerEvents = new EventEmitter();
    const pool = once(events, 'pool:create');
    const runner = await run({
      pgPool: database.sessions,
      taskList: tasks,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: SHUTDOWN_MS,
      // A job that cannot be completed ends the pool. Without this setting it would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger,
      events,
    });
    const [{ workerPool }] = (await pool) as [{ workerPool: WorkerPool }];
    const heartbeat = new WorkerHeartbeat(database);
    const jobWorkerPool = new JobWorkerPool(runner, events, heartbeat);
    const ending = new AbortController();
    // A worker that stops must not take another job.
    events.on('pool:gracefulShutdown', () => ending.abort());
    events.on('job:complete', ({ job }) => {
      if (job.job_queue_id !== null) requestNextJob(workerPool, ending.signal);
    });
    try {
      await heartbeat.start(workerPool.id);
    } catch (error) {
      await pTimeout(jobWorkerPool.stop(), { milliseconds: STOP_LIMIT_MS, message: false });
      throw error;
    }
    return jobWorkerPool;
  }

  /** Takes no new job, waits for the running jobs, and releases those that do not end in time. May wait forever without the database. */
  async stop(): Promise<void> {
    // Rejects if the runner ended by itself.
    await this.runner.stop().catch(() => undefined);
    await this.heartbeat.stop();
  }

  /** Stops the heartbeat, so that other pools take the jobs. The fence of each job prevents this pool from completing it. */
  async abandonJobs(): Promise<void> {
    await this.heartbeat.stop();
  }
}

/**
 * Requests the next job shortly after a job of a queue. The library requests it before the queue is free again, so the next job of
 * that queue would wait for the next poll, seconds later.
 */
function requestNextJob(pool: WorkerPool, ending: AbortSignal): void {
  for (const delay of NUDGE_DELAYS_MS) {
    setTimeout(() => {
      if (!ending.aborted) pool.nudge(1);
    }, delay).unref();
  }
}
