import type { PoolClient } from 'pg';
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
/** Keeps these locks apart from all others in the database: the pool's own share one, whoever takes its jobs wants it alone. */
const LOCK_SPACE = 0x5348;

/**
 * Holds while the job is the worker's own. Giving it to another waits for the transactions that found it so. They do not
 * lock the job itself: who adds another of its key changes it, and may hold what they wait for.
 */
export function fenceOf({ id, locked_at: takenAt, locked_by: pool }: HeldJob): Fence {
  // They become part of a statement.
  if (!/^\d{1,19}$/.test(id) || takenAt === null || pool === null || !POOL.test(pool)) {
    throw new TypeError(`The job ${id} is held by nobody.`);
  }
  const at = `'${takenAt.toISOString()}'::timestamptz`;
  return {
    // Two statements, so that the second one sees what was given away while the first one waited. Postgres tells
    // microseconds, a date of ours none.
    statement: `select pg_advisory_xact_lock_shared(${LOCK_SPACE}, hashtext('${pool}'));
      select from graphile_worker._private_jobs where id = ${id} and locked_by = '${pool}'
      and locked_at between ${at} - interval '2 ms' and ${at} + interval '2 ms'`,
    broken: () => new JobLost(`The job ${id} is not this worker's any more.`),
  };
}

/** Gives the jobs of a pool that is gone to whoever takes them, once no transaction of it is open that found one its own. */
export async function giveBack(connection: PoolClient, poolId: string): Promise<void> {
  await connection.query('begin');
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, poolId]);
  await connection.query('select graphile_worker.force_unlock_workers(array[$1])', [poolId]);
  await connection.query('commit');
}
