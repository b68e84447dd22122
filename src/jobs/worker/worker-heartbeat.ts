import { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Database } from '../../database/database.js';
import { releaseLeases } from './job-fence.js';

const ROUND_MS = 10_000;
/** A process that stands still this long is taken for gone: Postgres ends its session, and with it the lock. */
const LEASE_MS = 30_000;
/** Keeps these locks apart from all others in the database. */
const LOCK_SPACE = 0x5347;

/**
 * Shows that a pool of workers is alive, and gives back the jobs of pools that are not: the queue itself would keep
 * them for four hours. A pool is alive as long as its process holds a lock in the database, so no clock of ours is asked,
 * and a process that is killed is known to be gone as soon as its connection is. One that merely stands still loses the
 * lock after half a minute; what it was at is kept from it by the fence of its jobs.
 */
export class WorkerHeartbeat {
  private readonly logger = new Logger(WorkerHeartbeat.name);
  private connection: PoolClient | null = null;
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private poolId = '';

  constructor(private readonly database: Database) {}

  async start(poolId: string): Promise<void> {
    this.poolId = poolId;
    await this.beat();
    this.timer = setInterval(() => {
      this.round = this.beat().catch((error: unknown) => {
        this.drop();
        this.logger.warn(`Workers could not be looked after: ${String(error)}`);
      });
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.round;
    this.drop();
  }

  private async beat(): Promise<void> {
    const connection = (this.connection ??= await this.hold());
    const { rows } = await connection.query<{ readonly locked_by: string }>(
      `select distinct locked_by from graphile_worker._private_jobs where locked_by is not null
       union select distinct locked_by from graphile_worker._private_job_queues where locked_by is not null`,
    );
    for (const { locked_by: poolId } of rows) {
      if (poolId !== this.poolId && (await this.isGone(connection, poolId))) {
        this.logger.warn(`The worker pool ${poolId} is gone; its jobs are given back.`);
        await releaseLeases(connection, poolId);
      }
    }
  }

  private async hold(): Promise<PoolClient> {
    const connection = await this.database.pool.connect();
    connection.on('error', () => {
      if (this.connection === connection) this.drop();
    });
    try {
      await connection.query(`set idle_session_timeout = ${LEASE_MS}`);
      await connection.query(`select pg_advisory_lock($1, hashtext($2))`, [LOCK_SPACE, this.poolId]);
    } catch (error) {
      // Else nobody would give it back to the pool.
      connection.release(true);
      throw error;
    }
    return connection;
  }

  private async isGone(connection: PoolClient, poolId: string): Promise<boolean> {
    const { rows } = await connection.query<{ readonly gone: boolean }>(
      `select pg_try_advisory_lock($1, hashtext($2)) as gone`,
      [LOCK_SPACE, poolId],
    );
    if (rows[0]?.gone !== true) return false;
    await connection.query(`select pg_advisory_unlock($1, hashtext($2))`, [LOCK_SPACE, poolId]);
    return true;
  }

  /** Ends the session, and with it the lock. */
  private drop(): void {
    this.connection?.release(true);
    this.connection = null;
  }
}
