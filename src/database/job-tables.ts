/**
 * The private tables of the job library, for changes without a public API. The service deletes failed jobs and those of an erased workspace,
 * releases the jobs of workers that no longer run, and finds the queues that a stopped worker pool still holds. Tests make jobs due, fail
 * them and remove their leases. Benchmarks empty the queue. All other code reads the public view `graphile_worker.jobs`.
 * `job-tables.spec.ts` fails if an upgrade of the library changes a column that these statements use.
 */
export const JOB_TABLE = 'graphile_worker._private_jobs';
export const JOB_QUEUE_TABLE = 'graphile_worker._private_job_queues';
export const JOB_NAME_TABLE = 'graphile_worker._private_tasks';
/** Only the test of the library's schema reads it. */
export const JOB_SCHEDULE_TABLE = 'graphile_worker._private_known_crontabs';

/**
 * The condition of jobs that failed in every attempt. A new job replaces an earlier job with the same key that runs or that failed in
 * every attempt: the library removes the key and the remaining attempts of the earlier job.
 */
export const GIVEN_UP = 'attempts >= max_attempts and locked_at is null and key is not null';
