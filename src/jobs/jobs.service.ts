import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../database/database.js';
import { ATTEMPTS, type JobName, type JobOptions, type JobPayload, placeOf, queueName } from './job.js';

/** Adds one job; its parameters are those of `addJobParameters`. */
const ADD_ONE = `graphile_worker.add_job(
  $1, $2::json, queue_name => $3, run_at => now() + make_interval(secs => $4), max_attempts => $5, job_key => $6,
  job_key_mode => $7)`;

const ADD_JOB = `select 1 from ${ADD_ONE}`;

/** Adds the job if the current interval of the schedule was not taken yet. `case` evaluates its branch for a true condition alone. */
const ADD_SCHEDULED_JOB = `select case when take_scheduled_interval($1, $8) then (${ADD_ONE}).id end`;

/** Of jobs that are done after all others that could be. */
export const LATER = 1;

/**
 * Adds a job for each row of `added (name, payload, queue, key, priority)`, whose keys differ. For one it costs what `ADD_JOB` does, and hardly more
 * for many: most of it is what the library does once for all of them.
 */
export const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
  select (name, payload, queue, null, ${ATTEMPTS}, key, priority, null)::graphile_worker.job_spec from added))`;

export function addJobParameters<N extends JobName>(
  name: N,
  payload: JobPayload<N>,
  { delaySeconds = 0, keepsRunAt }: JobOptions = {},
): readonly unknown[] {
  const place = placeOf(name, payload);
  return [
    name,
    JSON.stringify(payload),
    place.queue && queueName(place.queue),
    delaySeconds,
    place.attempts,
    place.key,
    (keepsRunAt ?? place.keepsRunAt) ? 'preserve_run_at' : 'replace',
  ];
}

/** Puts work off, durably. `JOBS` tells each job's key and queue. */
@Injectable()
export class JobsService {
  constructor(private readonly database: Database) {}

  /** The job exists exactly if the transaction commits. */
  async enqueue<N extends JobName>(
    tx: TenantTransaction,
    name: N,
    payload: JobPayload<N>,
    options: JobOptions = {},
  ): Promise<void> {
    await tx.queryPrepared('add_job', ADD_JOB, addJobParameters(name, payload, options));
  }

  /** Adds a job that belongs to no workspace, or to one that is not known yet. */
  async enqueueGlobal<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
    await this.database.queryWithoutTenant('ask_for_sync', ADD_JOB, addJobParameters(name, payload));
  }

  /** Enqueues a job of the schedule, unless this or another process did so in the current interval. */
  async enqueueScheduled<N extends JobName>(name: N, payload: JobPayload<N>, everyMinutes: number): Promise<void> {
    const parameters = addJobParameters(name, payload);
    await this.database.queryWithoutTenant('add_scheduled_job', ADD_SCHEDULED_JOB, [...parameters, everyMinutes * 60]);
  }
}
