import type { PoolClient } from 'pg';
import type { Fence } from '../../database/fence.js';

/** A job as the worker holds that does it. */
export interface LeasedJob {
  readonly id: string;
  /** When it was taken. Its attempts would not tell: they are changed where a job of the same key is added meanwhile. */
  readonly locked_at: Date | null;
  /** The pool of workers. */
  readonly locked_by: string | null;
}

/** Its worker was taken for gone, and the job is in others' hands, or was done by them. */
class JobLeaseLostError extends Error {
  override readonly name = 'JobLost';
}

/** Keeps these locks apart from all others in the database: the pool's own share one, whoever takes its jobs wants it alone. */
const LOCK_SPACE = 0x5348;

/**
 * Holds while the job is the worker's own. Giving it to another waits for the transactions that found it so. They do not
 * lock the job itself: who adds another of its key changes it, and may hold what they wait for.
 */
export function createJobFence({ id, locked_at: takenAt, locked_by: pool }: LeasedJob): Fence {
  if (takenAt === null || pool === null) throw new TypeError(`The job ${id} is held by nobody.`);
  return {
    proof: {
      name: 'prove_job',
      text: 'select where prove_job($1, $2, $3, $4) is null',
      values: [String(LOCK_SPACE), id, pool, takenAt.toISOString()],
    },
    broken: () => new JobLeaseLostError(`The job ${id} is not this worker's any more.`),
  };
}

/** Gives the jobs of a pool that is gone to whoever takes them, once no transaction of it is open that found one its own. */
export async function releaseLeases(connection: PoolClient, poolId: string): Promise<void> {
  await connection.query('begin');
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, poolId]);
  await connection.query('select graphile_worker.force_unlock_workers(array[$1])', [poolId]);
  await connection.query('commit');
}
