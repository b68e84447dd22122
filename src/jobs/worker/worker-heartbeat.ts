import { Logger } from '@nestjs/common';
import type { ClientBase, PoolClient } from 'pg';
import type { Database } from '../../database/database.js';
import { JOB_QUEUE_TABLE } from '../../database/job-tables.js';
import { releaseLeases } from './job-fence.js';

const INTERVAL_MS = 10_000;
/** Postgres ends the session of a process that is idle for this long, which releases its lock. */
const LEASE_MS = 30_000;
/** Separates these advisory locks from all others of the database. */
const LOCK_SPACE = 0x5347;

/** Counts the worker pools of all processes that are alive. Everyone may read the locks of the database. */
export async function countWorkerPools({ pool }: Pick<Database, 'pool'>): Promise<number> {
  // `objsubid` is 2 for a key of two integers.
  const { rows } = await pool.query<{ readonly pools: number }>(
    `select count(distinct objid)::int as pools from pg_locks
     where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [LOCK_SPACE],
  );
  return rows[0]?.pools ?? 0;
}

/** Shows that the pool is alive until the session of this connection ends. Waits while another session shows it. */
export async function lockWorkerPool(connection: ClientBase, poolId: string): Promise<void> {
  await connection.query(`select pg_advisory_lock($1, hashtext($2))`, [LOCK_SPACE, poolId]);
}

/**
 * Shows that a worker pool is alive, and releases the jobs of stopped pools. The queue itself would hold them for four hours. A pool
 * is alive while its process holds a lock in the database, so no clock is compared, and a killed process counts as stopped as soon as
 * its connection ends. A process that hangs loses the lock after half a minute, and the fence prevents it from completing its jobs.
 */
export class WorkerHeartbeat {
  private readonly logger = new Logger(WorkerHeartbeat.name);
  private connection: PoolClient | null = null;
  private timer: NodeJS.Timeout | null = null;
  /** The beat in progress. Two at once could take two locks, of which the stop would release one. */
  private running: Promise<void> | null = null;
  private poolId = '';

  constructor(private readonly database: Database) {}

  async start(poolId: string): Promise<void> {
    this.poolId = poolId;
    await this.beat();
    this.timer = setInterval(() => {
      this.running ??= this.beat()
        .catch((error: unknown) => {
          this.drop();
          this.logger.warn(`Worker heartbeat failed: ${String(error)}`);
        })
        .finally(() => (this.running = null));
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.running;
    this.drop();
  }

  private async beat(): Promise<void> {
    const connection = (this.connection ??= await this.lock());
    // A pool can stop while it holds a queue but no job of it. No public view shows such a queue.
    const { rows } = await connection.query<{ readonly locked_by: string }>(
      `select locked_by from graphile_worker.jobs where locked_by is not null
       union select locked_by from ${JOB_QUEUE_TABLE} where locked_by is not null`,
    );
    for (const { locked_by: poolId } of rows) {
      if (poolId !== this.poolId && (await this.isStopped(connection, poolId))) {
        this.logger.warn(`Worker pool ${poolId} stopped. Its jobs were released.`);
        await releaseLeases(connection, poolId);
      }
    }
  }

  private async lock(): Promise<PoolClient> {
    const connection = await this.database.sessions.connect();
    connection.on('error', () => {
      if (this.connection === connection) this.drop();
    });
    try {
      await connection.query(`set idle_session_timeout = ${LEASE_MS}`);
      await lockWorkerPool(connection, this.poolId);
    } catch (error) {
      // Otherwise the connection would never return to the pool.
      connection.release(true);
      throw error;
    }
    return connection;
  }

  private async isStopped(connection: PoolClient, poolId: string): Promise<boolean> {
    const { rows } = await connection.query<{ readonly stopped: boolean }>(
      `select pg_try_advisory_lock($1, hashtext($2)) as stopped`,
      [LOCK_SPACE, poolId],
    );
    if (rows[0]?.stopped !== true) return false;
    await connection.query(`select pg_advisory_unlock($1, hashtext($2))`, [LOCK_SPACE, poolId]);
    return true;
  }

  /** Ends the session, which releases the lock. */
  private drop(): void {
    this.connection?.release(true);
    this.connection = null;
  }
}
