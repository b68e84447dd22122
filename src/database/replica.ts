import type { Pool, QueryResultRow } from 'pg';
import { isConnectionLost } from './outage.js';
import { TIMELINE } from './primary.js';
import { ServicePool, type ServicePoolConfig } from './database-client.js';

/** The maximum time in milliseconds by which the data of a replica may be behind the primary. */
export const MOST_BEHIND_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
/** The maximum number of stored positions that the replica has not reached. With more it is too far behind. */
const MOST_POSITIONS = (2 * MOST_BEHIND_MS) / CHECK_EVERY_MS;

/** The database and role that both servers must have in common. */
const IDENTITY = `concat_ws(' ', current_user, (select oid from pg_database where datname = current_database()),
  (select system_identifier from pg_control_system())) as identity`;
const PRIMARY_STATE = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as position, ${TIMELINE}, ${IDENTITY}`;
// After a failover a replica may still have the log of the former primary, at a position that the new one has not reached.
// A promoted server still reports the last position that it replayed, so the `case` checks for recovery.
const REPLICA_STATE = `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text end as position,
  greatest((select timeline_id from pg_control_checkpoint()),
    (select min_recovery_end_timeline from pg_control_recovery())) as timeline, ${IDENTITY}`;

interface ServerState {
  /** The position in the log in bytes. Null if the replica is no standby. */
  readonly position: string | null;
  readonly timeline: number;
  readonly identity: string;
}

/**
 * A standby for reads that may be some seconds old. It is used while it certainly has everything that was committed
 * `MOST_BEHIND_MS` ago. The clocks of the servers do not matter: the primary reports its position in the log, and the replica has
 * everything up to the time of that report once it has reached the position.
 */
export class Replica {
  readonly pool: Pool;
  readonly #primary: Pool;
  readonly #watch: NodeJS.Timeout;
  #positions: { readonly at: number; readonly position: bigint }[] = [];
  /** The monotonic time up to which the replica has everything. */
  #hasAllUntil = -Infinity;
  #problem: string | null = 'it did not answer yet';
  #check: Promise<void> | null = null;

  constructor(url: string, primary: Pool, config: Omit<ServicePoolConfig, 'primary' | 'canPrepare'> = {}) {
    this.#primary = primary;
    // No statement is prepared, so that the replica may be behind any pooler.
    this.pool = new ServicePool({ ...config, connectionString: url, primary: null, canPrepare: false });
    this.#watch = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    void this.check();
  }

  /** The maximum delay of the replica in milliseconds. Infinite until it is known. */
  get behindMs(): number {
    return performance.now() - this.#hasAllUntil;
  }

  /** The reason why the replica is not used. Null if it is used. */
  get problem(): string | null {
    if (this.#problem !== null) return this.#problem;
    return this.behindMs > MOST_BEHIND_MS ? 'it is too far behind' : null;
  }

  /** Compares the position of the replica with that of the primary. */
  check(): Promise<void> {
    this.#check ??= this.#compare().finally(() => (this.#check = null));
    return this.#check;
  }

  /** Stops the use of the replica until the next check, after a statement failed because of it. */
  suspend(): void {
    this.#problem = 'a statement failed';
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.pool.end();
  }

  async #compare(): Promise<void> {
    try {
      const at = performance.now();
      const primary = await readState(this.#primary, PRIMARY_STATE);
      const replica = await readState(this.pool, REPLICA_STATE);
      this.#problem = findProblem(primary, replica);
      if (this.#problem !== null || primary.position === null || replica.position === null) return;
      const reached = BigInt(replica.position);
      this.#positions.push({ at, position: BigInt(primary.position) });
      const latest = this.#positions.findLast(({ position }) => position <= reached);
      if (latest) this.#hasAllUntil = latest.at;
      this.#positions = this.#positions.filter((one) => one.position > reached).slice(-MOST_POSITIONS);
    } catch (error) {
      this.#problem = (error as Error).message;
    }
  }
}

async function readState(pool: Pool, statement: string): Promise<ServerState> {
  const { rows } = await pool.query<ServerState & QueryResultRow>(statement);
  const [state] = rows;
  if (!state) throw new Error('it does not state its position');
  return state;
}

function findProblem(primary: ServerState, replica: ServerState): string | null {
  if (primary.identity !== replica.identity) return 'it has another database or role than the primary';
  if (replica.position === null) return 'it is no standby';
  return primary.timeline === replica.timeline ? null : 'it does not follow the present primary';
}

type Work<Tx, T> = (tx: Tx) => Promise<T>;

/**
 * The reads of one export or of one whole list. They see the state of at most `MOST_BEHIND_MS` ago, and no read sees an older
 * state than the read before it: the replica is used until it fails or is too far behind, and the primary from then on.
 */
export class LongRead<Tx> {
  #replica: Replica | null;

  /** `run` runs the work on the replica, or on the primary if there is none. */
  constructor(
    replica: Replica | null,
    private readonly run: <T>(work: Work<Tx, T>, replica: Replica | null) => Promise<T>,
  ) {
    this.#replica = replica;
  }

  /** Runs read-only work, each statement with a snapshot of its own. It runs again on the primary if the replica fails. */
  async read<T>(work: Work<Tx, T>): Promise<T> {
    const replica = this.#replica;
    if (replica?.problem === null) {
      try {
        return await this.run(work, replica);
      } catch (error) {
        if (!isConnectionLost(error) && (error as { readonly code?: string }).code !== CONFLICT) throw error;
        replica.suspend();
      }
    }
    this.#replica = null;
    return this.run(work, null);
  }
}

/** A standby ends a statement that needs rows which the primary has cleaned up (PostgreSQL documentation, § 27.4.2). */
const CONFLICT = '40001';
