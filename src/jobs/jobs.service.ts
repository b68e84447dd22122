import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../database/database.js';
import { currentTraceparent } from '../observability/tracing.js';
import { ATTEMPTS, type JobName, type JobOptions, type JobPayload, toJobPlacement, queueName } from './job.js';

/** Adds one job; its parameters are those of `addJobParameters`. */
const ADD_ONE = `graphile_worker.add_job(
  $1, $2::json, queue_name => $3, run_at => now() + make_interval(secs => $4), max_attempts => $5, job_key => $6,
  job_key_mode => $7)`;

const ADD_JOB = `select 1 from ${ADD_ONE}`;

/** Adds the job if the current interval of the schedule is free. `case` evaluates its branch only if the condition is true. */
const ADD_SCHEDULED_JOB = `select case when take_scheduled_interval($1, $8) then (${ADD_ONE}).id end`;

/** The priority of jobs that run after all others. */
export const LOW_PRIORITY = 1;

/**
 * Adds a job for each row of `added (name, payload, queue, key, priority)`. The keys must differ. Many jobs cost hardly more than one,
 * because the library does most of its work once for each call.
 */
export const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
  select (name, payload, queue, null, ${ATTEMPTS}, key, priority, null)::graphile_worker.job_spec from added))`;

export function addJobParameters<N extends JobName>(
  name: N,
  payload: JobPayload<N>,
  { delaySeconds = 0, preservesRunAt }: JobOptions = {},
): readonly unknown[] {
  const placement = toJobPlacement(name, payload);
  return [
    name,
    JSON.stringify(withTrace(payload as object)),
    placement.queue && queueName(placement.queue),
    delaySeconds,
    placement.attempts,
    placement.key,
    (preservesRunAt ?? placement.preservesRunAt) ? 'preserve_run_at' : 'replace',
  ];
}

/** Adds the running span to a payload, so that the trace continues in the job. Workers of the previous version ignore it. */
function withTrace(payload: object): object {
  const traceparent = currentTraceparent();
  return traceparent === null ? payload : { ...payload, traceparent };
}

/** Enqueues jobs. The table in `job.ts` has the key and the queue of each. */
@Injectable()
export class JobsService {
  constructor(private readonly database: Database) {}

  /** Adds a job that exists only if the transaction commits. */
  async enqueue<N extends JobName>(
    tx: TenantTransaction,
    name: N,
    payload: JobPayload<N>,
    options: JobOptions = {},
  ): Promise<void> {
    await tx.queryPrepared('add_job', ADD_JOB, addJobParameters(name, payload, options));
  }

  /** Adds a job without a workspace, or for a workspace that does not exist yet. */
  async enqueueGlobal<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
    await this.database.queryWithoutTenant('add_global_job', ADD_JOB, addJobParameters(name, payload));
  }

  /** Enqueues a job of the schedule, unless this or another process did so in the current interval. */
  async enqueueScheduled<N extends JobName>(name: N, payload: JobPayload<N>, everyMinutes: number): Promise<void> {
    const parameters = addJobParameters(name, payload);
    await this.database.queryWithoutTenant('add_scheduled_job', ADD_SCHEDULED_JOB, [...parameters, everyMinutes * 60]);
  }
}
