import { type PoolClient, Query, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { endsConnection } from './outage.js';
import { DatabaseClient } from './database-client.js';

// The driver has no public way to write the messages of several statements at once. `database.setup-statements.spec.ts` fails if an upgrade
// changes how it writes them.

/** A statement without a result that is sent together with the statement after it. */
export interface SetupStatement {
  /** The name of the prepared statement. It belongs to one text only. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/** The setup statements that are prepared on each connection. */
const preparedNames = new WeakMap<PoolClient, Set<string>>();

/**
 * Prepares the setup statements that are not prepared on the connection yet. This happens before the first query: a
 * query that waited for it could be sent after the connection was given to another caller, and would join that caller's
 * transaction.
 */
export async function prepareSetupStatements(client: PoolClient, entry: readonly SetupStatement[]): Promise<void> {
  if (!canPrepare(client)) return;
  const names = preparedNames.get(client) ?? new Set();
  preparedNames.set(client, names);
  for (const { name, text } of entry.filter((step) => !names.has(step.name))) {
    await parse(client, name, text);
    names.add(name);
  }
}

/** Behind some poolers the next transaction may have a session in which nothing is prepared. */
const canPrepare = (client: PoolClient): boolean => !(client instanceof DatabaseClient) || client.canPrepare;

function parse(client: PoolClient, name: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new Query({ name, text }, (error) => (error ? reject(error) : resolve()));
    query.submit = (connection) => {
      connection.parse({ name, text, types: [] }, true);
      connection.sync();
      return null;
    };
    client.query(query);
  });
}

/**
 * Sends a statement and its setup in one write. Everything before one Sync is one transaction, unless the setup begins
 * an explicit one. After a failure nothing more is executed (PostgreSQL documentation, § 55.2.4 "Pipelining"). The
 * setup must be prepared on the connection, or is sent without a name if the connection keeps none. Session effects of
 * the setup happen even if the statement could not be sent.
 */
export function queryWithSetup<Row extends QueryResultRow>(
  client: PoolClient,
  entry: readonly SetupStatement[],
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  // Forces the extended protocol. Without parameters `pg` would use the simple one, which cannot be combined with the
  // setup.
  const prepared: QueryConfig & { readonly queryMode: 'extended' } = { ...statement, queryMode: 'extended' };
  const isPrepared = canPrepare(client);
  const answer = new Promise<QueryResult<Row>>((resolve, reject) => {
    const query = new Query<Row>(prepared, (error, result) => {
      if (error) return reject(error);
      // The result of the statement follows those of the setup. If the statement could not be sent, the promise was
      // already rejected below.
      resolve([result].flat().at(-1) as QueryResult<Row>);
    });
    const { submit } = query;
    query.submit = (connection) => {
      // One write to the socket.
      connection.stream.cork();
      try {
        for (const { name, text, values } of entry) {
          const statement = isPrepared ? name : '';
          if (!isPrepared) connection.parse({ name: statement, text, types: [] }, true);
          connection.bind({ statement, values: [...values] }, true);
          connection.execute({}, true);
        }
        const problem: unknown = submit.call(query, connection);
        if (!problem) return null;
        // The statement was not sent, so the setup is ended here. The connection waits for its end as for any query.
        connection.sync();
        reject(problem);
        return null;
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
  return answer.catch(withCallerStack);
}

/** Adds the stack of the caller, as `pg` does for its own promises. The error is created where the socket is read. */
function withCallerStack(error: unknown): never {
  if (error instanceof Error) Error.captureStackTrace(error);
  throw error;
}

const BEGIN: SetupStatement = { name: 'begin', text: 'begin', values: [] };

/** The transaction status "idle" (PostgreSQL documentation, § 55.7 "ReadyForQuery"). */
const NO_TRANSACTION = 'I';

/** A transaction that begins together with its first statement, in one round trip. */
export class PipelinedTransaction {
  #begun = false;

  private constructor(
    private readonly client: PoolClient,
    private readonly entry: readonly SetupStatement[],
  ) {}

  static async on(client: PoolClient, entry: readonly SetupStatement[]): Promise<PipelinedTransaction> {
    const transaction = new PipelinedTransaction(client, [BEGIN, ...entry]);
    await prepareSetupStatements(client, transaction.entry);
    return transaction;
  }

  /**
   * Runs a statement. If the first one fails, later ones are rejected by Postgres, or here if not even `begin` was
   * executed.
   */
  async query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    if (this.#begun) return queryInTransaction<Row>(this.client, statement);
    this.#begun = true;
    return queryWithSetup<Row>(this.client, this.entry, statement);
  }

  /** False if no statement was run, so that no transaction was begun. */
  get begun(): boolean {
    return this.#begun;
  }

  async commit(): Promise<void> {
    // After a failed statement Postgres answers the commit with a rollback and no error.
    const { command } = await queryInTransaction(this.client, { text: 'commit' });
    if (command !== 'COMMIT') throw new Error('A statement of this transaction failed, so nothing of it was kept.');
  }
}

/**
 * Sends a statement only if a transaction is open. Outside a transaction it would take effect by itself, without a
 * tenant and without a fence.
 */
function queryInTransaction<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const answer = new Promise<QueryResult<Row>>((resolve, reject) => {
    const query = new Query<Row>(statement, (error, result) => (error ? reject(error) : resolve(result)));
    const { submit } = query;
    query.submit = (connection) =>
      client.getTransactionStatus() === NO_TRANSACTION
        ? new Error('The transaction was not begun, or has ended.')
        : submit.call(query, connection);
    client.query(query);
  });
  return answer.catch(withCallerStack);
}

/** Sets the tenant for this transaction only. The setting must not outlive it, because the connection is reused. */
export const setTenant = (orgId: string): SetupStatement => ({
  name: 'enter',
  text: `select where set_config('app.org_id', $1, true) is null`,
  values: [orgId],
});

/** Sets the tenant and the viewer for this transaction only. */
export const setViewer = (orgId: string, viewer: string): SetupStatement => ({
  name: 'enter_as_viewer',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)) is null`,
  values: [orgId, viewer],
});

/** Sets the tenant and the viewer for this transaction only, and makes it read-only. */
export const setReadOnlyViewer = (orgId: string, viewer: string): SetupStatement => ({
  name: 'enter_read',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)
    || set_config('transaction_read_only', 'on', true)) is null`,
  values: [orgId, viewer],
});

/**
 * Returns the connection to the pool without a transaction. A lost connection, or one that may still have a
 * transaction, is closed instead.
 */
export async function releaseClean(client: PoolClient, failure: unknown): Promise<void> {
  if (endsConnection(failure)) {
    client.release(true);
    return;
  }
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
