import { sha256 } from '../digest/sha256.js';
import type { JobName, JobOptions, JobPayloads, QueueName } from './job.js';

/** How often a job is tried; the pause before the next try grows exponentially, to about a day for the last. */
const ATTEMPTS = 12;

/**
 * How many queues there are of a kind. The library locks each queue that is free whenever it looks for a job, so a queue
 * for each repository would make every job as slow as there are repositories.
 */
const QUEUES_OF_A_KIND = 16;

/** Adds one job; its parameters are those of `addJobParameters`. */
export const ADD_JOB = `select 1 from graphile_worker.add_job(
  $1, $2::json, queue_name => $3, run_at => now() + make_interval(secs => $4), max_attempts => $5, job_key => $6,
  job_key_mode => $7)`;

/** Of jobs that are done after all others that could be. */
export const LATER = 1;

/**
 * Adds a job for each row of `added (name, payload, queue, key, priority)`, whose keys differ. For one it costs what `ADD_JOB` does, and hardly more
 * for many: most of it is what the library does once for all of them.
 */
export const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
  select (name, payload, queue, null, ${ATTEMPTS}, key, priority, null)::graphile_worker.job_spec from added))`;

export const addJobParameters = <N extends JobName>(
  name: N,
  payload: JobPayloads[N],
  { key, queue, delaySeconds = 0, keepDelay = false }: JobOptions,
): readonly unknown[] => [
  name,
  JSON.stringify(payload),
  queue === undefined ? null : queueOf(queue),
  delaySeconds,
  ATTEMPTS,
  key ?? null,
  keepDelay ? 'preserve_run_at' : 'replace',
];

/** Jobs that name the same queue share one; so do, by chance, some that name another of its kind. */
export const queueOf = ({ kind, of }: QueueName): string =>
  `${kind}-${Number.parseInt(sha256(of).slice(0, 8), 16) % QUEUES_OF_A_KIND}`;
