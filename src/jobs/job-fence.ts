import type { Fence } from '../database/fence.js';

/** A job as the worker holds that does it. */
export interface HeldJob {
  readonly id: string;
  /** When it was taken. Its attempts would not tell: they are changed where a job of the same key is added meanwhile. */
  readonly locked_at: Date | null;
  /** The pool of workers. */
  readonly locked_by: string | null;
}

/** Its worker was taken for gone, and the job is in others' hands, or was done by them. */
class JobLost extends Error {
  override readonly name = 'JobLost';
}

const POOL = /^[\w-]{1,64}$/;

/** Holds while the job is the worker's own. Giving it to another waits for the transactions that found it so. */
export function fenceOf({ id, locked_at: takenAt, locked_by: pool }: HeldJob): Fence {
  // They become part of a statement.
  if (!/^\d{1,19}$/.test(id) || takenAt === null || pool === null || !POOL.test(pool)) {
    throw new TypeError(`The job ${id} is held by nobody.`);
  }
  const at = `'${takenAt.toISOString()}'::timestamptz`;
  return {
    // Postgres tells microseconds, a date of ours none.
    statement: `select from graphile_worker._private_jobs where id = ${id} and locked_by = '${pool}'
      and locked_at between ${at} - interval '2 ms' and ${at} + interval '2 ms' for share`,
    broken: () => new JobLost(`The job ${id} is not this worker's any more.`),
  };
}
