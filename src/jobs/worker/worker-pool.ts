import { EventEmitter, once } from 'node:events';
import {
  run,
  type Logger as QueueLogger,
  type Runner,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import type { Database } from '../../database/database.js';
import { WorkerHeartbeat } from './worker-heartbeat.js';

const CONCURRENCY = 6;
/** Work that does not end in this time after its crew was dismissed is given up, and done again elsewhere. */
const SHUTDOWN_MS = 15_000;
/** When to look for the next job of a queue after one of it was done, in milliseconds. */
const LOOK_AGAIN_MS = [10, 100] as const;
/** Where it is not even reached, the database was asked for no job (`pg` and its pool; SQLSTATE 57P03: it starts). */
const UNREACHED = /ECONNREFUSED|timeout exceeded when trying to connect|57P03/;

interface CrewWork {
  readonly tasks: TaskList;
  readonly logger: QueueLogger;
}

/** Some workers under one name in the queue, and the sign that they are there. */
export class JobWorkerPool {
  /**
   * Resolves where the crew is of no more use: it ended by itself, or the database was lost while it was asked for a job. That job may
   * be taken in the crew's name by now without anybody in it knowing, and as long as it is there nobody else would do it.
   */
  readonly lost: Promise<void>;

  private constructor(
    private readonly runner: Runner,
    events: WorkerEvents,
    private readonly presence: WorkerHeartbeat,
  ) {
    this.lost = new Promise((resolve) => {
      events.on('worker:getJob:error', ({ error }) => {
        const { code = '', message } = error as Error & { readonly code?: string };
        if (!UNREACHED.test(`${code} ${message}`)) resolve();
      });
      void runner.promise.then(resolve, () => resolve());
    });
  }

  static async start(database: Database, { tasks, logger }: CrewWork): Promise<JobWorkerPool> {
    const events: WorkerEvents = new EventEmitter();
    const pool = once(events, 'pool:create');
    const runner = await run({
      pgPool: database.pool,
      taskList: tasks,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: SHUTDOWN_MS,
      // A job that cannot be struck off ends the crew; without batches it would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger,
      events,
    });
    const [{ workerPool }] = (await pool) as [{ workerPool: WorkerPool }];
    const presence = new WorkerHeartbeat(database);
    const crew = new JobWorkerPool(runner, events, presence);
    const ending = new AbortController();
    // A worker that was told to end must not be told to look for more.
    events.on('pool:gracefulShutdown', () => ending.abort());
    events.on('job:complete', ({ job }) => {
      if (job.job_queue_id !== null) lookAgain(workerPool, ending.signal);
    });
    try {
      await presence.start(workerPool.id);
    } catch (error) {
      await crew.stop();
      throw error;
    }
    return crew;
  }

  /** Takes no new job, waits for those under way, and lets others do what is left at once. */
  async stop(): Promise<void> {
    // It refuses where it has ended by itself.
    await this.runner.stop().catch(() => undefined);
    await this.presence.stop();
  }

  /** What it holds is given to others from now on, and kept from it by the fence of its jobs. */
  async abandonJobs(): Promise<void> {
    await this.presence.stop();
  }
}

/**
 * The library does not wait until a job's queue is free again before its worker looks for the next job. What is next
 * in that queue would be missed until the next poll, seconds later.
 */
function lookAgain(pool: WorkerPool, ending: AbortSignal): void {
  for (const delay of LOOK_AGAIN_MS) {
    setTimeout(() => {
      if (!ending.aborted) pool.nudge(1);
    }, delay).unref();
  }
}
