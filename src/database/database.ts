import type { DatabaseError, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource, getPool, type DataSourceSettings } from './data-source.js';
import { FENCE_LOST, currentFence, type Fence } from './fence.js';
import { toOrgId, type OrgId } from './ids.js';
import {
  queryWithSetup,
  setViewer,
  setReadOnlyViewer,
  setTenant,
  type SetupStatement,
  prepareSetupStatements,
  NO_TRANSACTION,
  PipelinedTransaction,
} from './pipelined-transaction.js';
import { createTenantEntityManager, type TenantEntityManager } from './tenant-query-runner.js';

const MAX_ATTEMPTS = 3;
// serialization_failure and deadlock_detected (PostgreSQL documentation, appendix "Error Codes"): the transaction was
// rolled back and may succeed when it runs again.
const RETRYABLE_CODES = new Set(['40001', '40P01']);

const EMPTY_STATEMENT: QueryConfig = { name: 'nothing', text: 'select' };

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
  #manager: TenantEntityManager | undefined;
  #ended = false;

  constructor(
    key: typeof opened,
    readonly orgId: OrgId,
    source: DataSource,
    runStatement: RunStatement,
  ) {
    if (key !== opened) throw new TypeError('Only Database.inTenant opens a tenant.');
    this.#source = source;
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
    return (await this.#run<Row>({ name, text: sql, values: [...params] })).rows;
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
  /**
   * For libraries with their own statements, such as the job queue. Without a tenant its connections see no rows of
   * tenant tables.
   */
  readonly pool: Pool;

  private constructor(source: DataSource) {
    this.#source = source;
    this.pool = getPool(source);
  }

  /** Connects as the runtime role. Rejects if the database does not answer. */
  static async open(settings: DataSourceSettings): Promise<Database> {
    return new Database(await createDataSource(settings).initialize());
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
   * Runs read-only work for a viewer without one common snapshot: each statement is a transaction of its own, sent
   * together with its setup. It costs one round trip per statement. Statements that write are rejected.
   */
  async readOnlyAsViewer<T>({ orgId, userId }: Viewer, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const entry = [setReadOnlyViewer(toOrgId(orgId), toViewerSetting(userId))];
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, entry);
      return runAndEnd(
        new TenantTransaction(opened, orgId, this.#source, (statement) => queryWithSetup(client, entry, statement)),
        work,
      );
    });
  }

  /**
   * Runs one statement outside every tenant. It is planned once per connection under its name, and a name belongs to
   * one text only. Only the definer functions for lookups return rows here.
   */
  async queryWithoutTenant<Row extends object>(name: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
    const statement = { name, text: sql, values: [...params] };
    const fence = currentFence();
    return fence === null ? (await this.pool.query<Row>(statement)).rows : this.#runWithFence(fence, statement);
  }

  /** Rejects if the fence of the caller does not hold any more. */
  async assertFence(): Promise<void> {
    const fence = currentFence();
    if (fence !== null) await this.#runWithFence(fence, EMPTY_STATEMENT);
  }

  /** Returns whether the database answers. */
  async isHealthy(): Promise<boolean> {
    return this.pool.query('select 1').then(
      () => true,
      () => false,
    );
  }

  /** Waits for running transactions and closes the connections. */
  async close(): Promise<void> {
    await this.#source.destroy();
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
        new TenantTransaction(opened, orgId, this.#source, (statement) => transaction.query(statement)),
        work,
      );
      if (transaction.begun) await transaction.commit();
      else if (fence !== null) await queryWithSetup(client, [fence.proof], EMPTY_STATEMENT);
      return result;
    });
  }

  /** Runs one statement as a transaction of its own. It is not executed if the fence is broken. */
  async #runWithFence<Row extends object>(fence: Fence, statement: QueryConfig): Promise<Row[]> {
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, [fence.proof]);
      return (await queryWithSetup<Row>(client, [fence.proof], statement)).rows;
    });
  }

  /** Runs work on a connection of the pool. The connection is returned without an open transaction in every case. */
  async #onConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const fence = currentFence();
    const client = await this.pool.connect();
    let result: T;
    try {
      result = await work(client);
    } catch (error) {
      await releaseClean(client);
      throw fence !== null && (error as Partial<DatabaseError>).code === FENCE_LOST ? fence.broken() : error;
    }
    client.release();
    return result;
  }
}

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

/**
 * Returns the connection to the pool without a transaction. A lost connection, or one that may still have a
 * transaction, is closed instead.
 */
async function releaseClean(client: PoolClient): Promise<void> {
  try {
    // The status after the failed statement is not known yet. An empty query waits for it. A rollback without a
    // transaction would log a warning in Postgres.
    if (client.getTransactionStatus() === NO_TRANSACTION) await client.query('');
    if (client.getTransactionStatus() !== NO_TRANSACTION) await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}
