import type { PoolClient } from 'pg';
import type { Fence } from '../../database/fence.js';

/** A job with the lease of its worker. */
export interface LeasedJob {
  readonly id: string;
  /** The start of the lease. The attempts do not identify a lease, because a new job with the same key resets them. */
  readonly locked_at: Date | null;
  /** The id of the worker pool. */
  readonly locked_by: string | null;
}

/** The worker was considered stopped, so another worker holds the job or completed it. */
export class JobLeaseLostError extends Error {
  override readonly name = 'JobLost';
}

/**
 * Separates these advisory locks from all others of the database. Transactions of a pool share its lock. The release of its leases
 * needs it exclusively.
 */
const LOCK_SPACE = 0x5348;

/**
 * Creates the fence that rejects the statements of a worker that lost its job. The release of the lease waits for transactions that
 * passed the fence. They do not lock the row of the job: a transaction that adds a job with the same key changes that row, and may hold
 * locks that they wait for.
 */
export function createJobFence({ id, locked_at: takenAt, locked_by: pool }: LeasedJob): Fence {
  if (takenAt === null || pool === null) throw new TypeError(`The job ${id} has no lease.`);
  return {
    proof: {
      name: 'assert_job_lease',
      text: 'select where assert_job_lease($1, $2, $3, $4) is null',
      values: [String(LOCK_SPACE), id, pool, takenAt.toISOString()],
    },
    broken: () => new JobLeaseLostError(`The job ${id} is not this worker's any more.`),
  };
}

/** Releases the jobs of a stopped pool, after its open transactions ended. */
export async function releaseLeases(connection: PoolClient, poolId: string): Promise<void> {
  await connection.query('begin');
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, poolId]);
  await connection.query('select graphile_worker.force_unlock_workers(array[$1])', [poolId]);
  await connection.query('commit');
}
