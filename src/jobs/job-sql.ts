import type { JobName, JobOptions, JobPayloads } from './job.js';

/** How often a job is tried; the pause before the next try grows exponentially, to about a day for the last. */
const ATTEMPTS = 12;

/** Adds one job; its parameters are those of `addJobParameters`. */
export const ADD_JOB = `select 1 from graphile_worker.add_job(
  $1, $2::json, queue_name => $3, run_at => now() + make_interval(secs => $4), max_attempts => $5, job_key => $6,
  job_key_mode => $7)`;

export const addJobParameters = <N extends JobName>(
  name: N,
  payload: JobPayloads[N],
  { key, queue, delaySeconds = 0, keepDelay = false }: JobOptions,
): readonly unknown[] => [
  name,
  JSON.stringify(payload),
  queue ?? null,
  delaySeconds,
  ATTEMPTS,
  key ?? null,
  keepDelay ? 'preserve_run_at' : 'replace',
];
