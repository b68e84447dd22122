import type { DatabaseError, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource, createReplica, createSessionPool, getPool, type DataSourceSettings } from './data-source.js';
import { FENCE_LOST, currentFence, type Fence } from './fence.js';
import { toOrgId, type OrgId } from './ids.js';
import {
  queryWithSetup,
  setViewer,
  setReadOnlyViewer,
  setTenant,
  type SetupStatement,
  prepareSetupStatements,
  PipelinedTransaction,
  releaseClean,
} from './pipelined-transaction.js';
import { Primary } from './primary.js';
import { LongRead, type Replica } from './replica.js';
import { createTenantEntityManager, type TenantEntityManager } from './tenant-query-runner.js';
import { WriteProbe } from './write-probe.js';

const MAX_ATTEMPTS = 3;
// serialization_failure and deadlock_detected (PostgreSQL documentation, appendix "Error Codes"): the transaction was
// rolled back and may succeed when it runs again.
const RETRYABLE_CODES = new Set(['40001', '40P01']);

/** How soon a failover is noticed if no connection breaks. */
const WATCH_PRIMARY_MS = 5_000;
const opened = Symbol('opened by Database.inTenant');

/**
 * The user in whose name a request reads a workspace. Private repositories that the user cannot read on GitHub are
 * hidden.
 */
export interface Viewer {
  readonly orgId: OrgId;
  /** The GitHub user id. `NO_USER_ID` sees no private repository. */
  readonly userId: number;
}

/** The id of a viewer whose read access is not known. */
export const NO_USER_ID = 0;

type RunStatement = <Row extends object>(statement: QueryConfig) => Promise<QueryResult<Row>>;

/**
 * A transaction that reads and changes the rows of one tenant only. Only `Database.inTenant`, `Database.asViewer` and
 * `Database.readOnlyAsViewer` create one, so code that takes it as an argument cannot run outside a tenant. After its
 * work has ended, every statement is rejected.
 */
export class TenantTransaction {
  readonly #runStatement: RunStatement;
  readonly #source: DataSource;
  readonly #canPrepare: boolean;
  #manager: TenantEntityManager | undefined;
  #ended = false;

  constructor(
    key: typeof opened,
    readonly orgId: OrgId,
    shared: { readonly source: DataSource; readonly canPrepare: boolean },
    runStatement: RunStatement,
  ) {
    if (key !== opened) throw new TypeError('Only Database.inTenant opens a tenant.');
    this.#source = shared.source;
    this.#canPrepare = shared.canPrepare;
    this.#runStatement = runStatement;
  }

  /**
   * The entities of the tenant, in this transaction. It is created on first use, and fails like `query` after the
   * transaction ended. Row-level security applies, but an insert states `orgId` itself.
   */
  get manager(): TenantEntityManager {
    return (this.#manager ??= createTenantEntityManager(this.#source, (statement) => this.#run(statement)));
  }

  /** Runs a statement and returns its rows. */
  async query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#run<Row>({ text: sql, values: [...params] })).rows;
  }

  /**
   * Runs a prepared statement, which is parsed and planned once per connection. A name belongs to one text only. With
   * row-level security, planning a statement over five tables takes longer than executing it.
   */
  async queryPrepared<Row extends object>(name: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.#run<Row>(toPrepared(name, sql, params, this.#canPrepare))).rows;
  }

  /**
   * Ends the transaction object. Only `Database` may call it. The connection is reused, so no late statement may reach
   * it.
   */
  end(key: typeof opened): void {
    if (key === opened) this.#ended = true;
  }

  async #run<Row extends object>(statement: QueryConfig): Promise<QueryResult<Row>> {
    if (this.#ended) throw new Error('This transaction has ended.');
    return this.#runStatement<Row>(statement);
  }
}

/** The only access to the database: transactions of a tenant, and lookups before the tenant is known. */
export class Database {
  readonly #source: DataSource;
  readonly #canPrepare: boolean;
  readonly #watch: NodeJS.Timeout;
  readonly #writeProbe = new WriteProbe((needsSpace) =>
    this.queryWithoutTenant('probe_write', 'select probe_write($1)', [needsSpace]),
  );
  /** For statements of no tenant. Without a tenant its connections see no rows of tenant tables. */
  readonly pool: Pool;
  /** For work that needs its own session: notifications, leases, and the library of the job queue. */
  readonly sessions: Pool;
  /** Null if there is none. */
  readonly replica: Replica | null;

  private constructor(source: DataSource, sessions: Pool | null, primary: Primary, settings: DataSourceSettings) {
    this.#source = source;
    this.#canPrepare = settings.canPrepare ?? true;
    this.pool = getPool(source);
    this.replica = createReplica(settings, this.pool);
    this.sessions = sessions ?? this.pool;
    this.#watch = setInterval(() => void primary.check(), WATCH_PRIMARY_MS).unref();
  }

  /** Connects as the runtime role. Rejects if the database does not answer. */
  static async open(settings: DataSourceSettings): Promise<Database> {
    const { url, directUrl = null } = settings;
    const primary = new Primary(directUrl ?? url);
    const source = await createDataSource(settings, directUrl === null ? primary : null).initialize();
    const sessions = directUrl === null ? null : createSessionPool(directUrl, primary, settings.applicationName);
    return new Database(source, sessions, primary, settings);
  }

  /**
   * Runs `work` in a transaction of the tenant. The transaction commits when `work` resolves and rolls back when it
   * rejects. After a serialization failure or a deadlock, `work` runs again, up to three times, so it must not have
   * effects outside the database. The transaction begins with the first statement. If the connection is lost during the
   * commit, the call rejects, and it is unknown whether the transaction committed.
   */
  async inTenant<T>(orgId: OrgId, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.#withRetries(orgId, setTenant(toOrgId(orgId)), work);
  }

  /**
   * Runs `work` in a transaction like `inTenant`, but hides the rows of private repositories that the viewer cannot
   * read.
   */
  async asViewer<T>({ orgId, userId }: Viewer, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.#withRetries(orgId, setViewer(toOrgId(orgId), toViewerSetting(userId)), work);
  }

  /**
   * Runs read-only work for a viewer without one common snapshot: each statement is its own transaction, sent
   * together with its setup. It costs one round trip per statement. Statements that write are rejected.
   */
  async readOnlyAsViewer<T>(viewer: Viewer, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.#readOnly(viewer, work, null);
  }

  /** Begins the reads of an export or a whole list for a viewer. The data may be some seconds old, so no decision may depend on it. */
  openLongRead(viewer: Viewer): LongRead<TenantTransaction> {
    return new LongRead(this.replica, (work, replica) => this.#readOnly(viewer, work, replica));
  }

  /**
   * Runs one statement outside every tenant. It is planned once per connection under its name, and a name belongs to
   * one text only. Only the definer functions for lookups return rows here.
   */
  async queryWithoutTenant<Row extends object>(name: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
    const statement = toPrepared(name, sql, params, this.#canPrepare);
    const fence = currentFence();
    if (fence !== null) return this.#runWithFence(fence, statement);
    try {
      return (await this.pool.query<Row>(statement)).rows;
    } catch (error) {
      this.#writeProbe.note(error);
      throw error;
    }
  }

  /** Rejects if the fence of the caller does not hold any more. */
  async assertFence(): Promise<void> {
    const fence = currentFence();
    if (fence !== null) await this.#runWithFence(fence, this.#emptyStatement());
  }

  /** Returns why the database accepts no writes, or null if it does. `needsSpace`: also whether a write that needs new space fails. */
  findWriteProblem({ needsSpace = false } = {}): Promise<string | null> {
    if (needsSpace) this.#writeProbe.requireSpace();
    return this.#writeProbe.findProblem();
  }

  /** Waits for running transactions and closes the connections. After some seconds it cuts those that are still used. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    const sessions = this.sessions === this.pool ? null : this.sessions;
    const ends = await Promise.allSettled([this.replica?.close(), this.#source.destroy(), sessions?.end()]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  #shared(): { readonly source: DataSource; readonly canPrepare: boolean } {
    return { source: this.#source, canPrepare: this.#canPrepare };
  }

  async #readOnly<T>(
    { orgId, userId }: Viewer,
    work: (tx: TenantTransaction) => Promise<T>,
    replica: Replica | null,
  ): Promise<T> {
    const entry = [setReadOnlyViewer(toOrgId(orgId), toViewerSetting(userId))];
    const shared = replica === null ? this.#shared() : { source: this.#source, canPrepare: false };
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, entry);
      const run = <Row extends object>(statement: QueryConfig): Promise<QueryResult<Row>> =>
        queryWithSetup<Row>(client, entry, statement);
      return runAndEnd(new TenantTransaction(opened, orgId, shared, run), work);
    }, replica?.pool);
  }

  async #withRetries<T>(orgId: OrgId, setup: SetupStatement, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transact(orgId, setup, work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !RETRYABLE_CODES.has((error as Partial<DatabaseError>).code ?? '')) throw error;
      }
    }
  }

  /** Runs one attempt. A broken fence is detected even if `work` runs no statement. */
  async #transact<T>(orgId: OrgId, setup: SetupStatement, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const fence = currentFence();
    return this.#onConnection(async (client) => {
      const transaction = await PipelinedTransaction.on(client, fence === null ? [setup] : [setup, fence.proof]);
      const result = await runAndEnd(
        new TenantTransaction(opened, orgId, this.#shared(), (statement) => transaction.query(statement)),
        work,
      );
      if (transaction.begun) await transaction.commit();
      else if (fence !== null) await queryWithSetup(client, [fence.proof], this.#emptyStatement());
      return result;
    });
  }

  #emptyStatement(): QueryConfig {
    return toPrepared('nothing', 'select', [], this.#canPrepare);
  }

  /** Runs one statement as a transaction of its own. It is not executed if the fence is broken. */
  async #runWithFence<Row extends object>(fence: Fence, statement: QueryConfig): Promise<Row[]> {
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, [fence.proof]);
      return (await queryWithSetup<Row>(client, [fence.proof], statement)).rows;
    });
  }

  /** Runs work on a connection of the pool. The connection is returned without an open transaction in every case. */
  async #onConnection<T>(work: (client: PoolClient) => Promise<T>, pool = this.pool): Promise<T> {
    const fence = currentFence();
    const client = await pool.connect();
    let result: T;
    try {
      result = await work(client);
    } catch (error) {
      this.#writeProbe.note(error);
      await releaseClean(client, error);
      throw fence !== null && (error as Partial<DatabaseError>).code === FENCE_LOST ? fence.broken() : error;
    }
    client.release();
    return result;
  }
}

/** Omits the name if a pooler would lose the prepared statement. */
const toPrepared = (name: string, text: string, params: readonly unknown[], canPrepare: boolean): QueryConfig => ({
  ...(canPrepare && { name }),
  text,
  values: [...params],
});

function toViewerSetting(userId: number): string {
  if (!Number.isSafeInteger(userId) || userId < 0) throw new TypeError('A viewer is named by a numeric id.');
  return String(userId);
}

async function runAndEnd<T>(tx: TenantTransaction, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
  try {
    return await work(tx);
  } finally {
    tx.end(opened);
  }
}
