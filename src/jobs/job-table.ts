/**
 * Private tables of the job library, for changes that it has no public way to make. The service deletes jobs only if they are still
 * failed, and finds the queues that a stopped worker pool still holds; tests make jobs due, fail them and take their leases away;
 * benchmarks empty the queue. Everything else reads the public view `graphile_worker.jobs`.
 */
export const JOB_TABLE = 'graphile_worker._private_jobs';
export const JOB_QUEUE_TABLE = 'graphile_worker._private_job_queues';

/**
 * The condition of jobs that failed in every attempt. A job that is added while another one with its key runs, or after that one failed
 * in every attempt, replaces it: the library takes the key and the remaining attempts away from the earlier job.
 */
export const GIVEN_UP = 'attempts >= max_attempts and locked_at is null and key is not null';
