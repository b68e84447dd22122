import { Injectable } from '@nestjs/common';
import { cachedReading } from '../../concurrency/single-flight.js';
import { Database } from '../../database/database.js';
import { GIVEN_UP } from '../../database/job-tables.js';
import { type LabeledValue, Metrics } from '../../observability/metrics.js';
import { JOB_NAMES } from '../job.js';

/** How long the counts of the queue are cached. To count hundreds of thousands of jobs takes some hundred milliseconds. */
const CACHE_MS = 10_000;

interface TaskState {
  readonly task: string;
  readonly due: number;
  readonly oldestDueSeconds: number;
  readonly running: number;
  readonly givenUp: number;
  /** The time since the oldest unfinished job of the task was enqueued. */
  readonly oldestSeconds: number;
}

/** Publishes the state of the queue by task. The state is the same for all processes. */
@Injectable()
export class QueueMetrics {
  private readonly read = cachedReading(CACHE_MS, async () => readTasks(this.database));

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    const publish = (name: string, help: string, toValue: (state: TaskState) => number): void =>
      metrics.labeledGauge({ name, help, labels: ['task'] }, async () => this.toLabeledValues(toValue));
    publish('shipgate_jobs_due', 'Jobs that are due and wait for a worker.', ({ due }) => due);
    publish(
      'shipgate_jobs_oldest_due_seconds',
      'The time for which the oldest due job has been due.',
      ({ oldestDueSeconds }) => oldestDueSeconds,
    );
    publish('shipgate_jobs_running', 'Jobs that a worker has taken.', ({ running }) => running);
    publish(
      'shipgate_jobs_given_up',
      'Jobs that failed in every attempt and that no later job replaced.',
      ({ givenUp }) => givenUp,
    );
    metrics.gauge(
      'shipgate_webhook_oldest_seconds',
      'The time since the arrival of the oldest delivery that is not processed yet.',
      async () => (await this.read()).find(({ task }) => task === 'process-webhook')?.oldestSeconds ?? 0,
    );
  }

  /** Tasks without jobs have the value 0, so that a sum over all tasks is never empty. */
  private async toLabeledValues(toValue: (state: TaskState) => number): Promise<readonly LabeledValue<'task'>[]> {
    const states = new Map((await this.read()).map((state) => [state.task, state]));
    const tasks = new Set([...JOB_NAMES, ...states.keys()]);
    return [...tasks].map((task) => {
      const state = states.get(task);
      return { labels: { task }, value: state ? toValue(state) : 0 };
    });
  }
}

/** Reads the state of the queue by task. Tasks without jobs are not in it. */
export async function readTasks({ pool }: Pick<Database, 'pool'>): Promise<readonly TaskState[]> {
  const { rows } = await pool.query<TaskState>({
    name: 'measure_queue',
    text: `select task_identifier as task,
          count(*) filter (where is_due)::int as due,
          coalesce(extract(epoch from now() - min(run_at) filter (where is_due)), 0)::float8 as "oldestDueSeconds",
          count(*) filter (where locked_at is not null)::int as running,
          count(*) filter (where ${GIVEN_UP})::int as "givenUp",
          coalesce(extract(epoch from now() - min(created_at) filter (where attempts < max_attempts)), 0)::float8
            as "oldestSeconds"
        from (
          select *, locked_at is null and run_at <= now() and attempts < max_attempts as is_due from graphile_worker.jobs
        ) job
        group by task_identifier`,
  });
  return rows;
}
