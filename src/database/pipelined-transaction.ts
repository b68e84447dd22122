import { type PoolClient, Query, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';

/** A statement that answers no row, and is sent ahead of another one together with it. */
export interface SetupStatement {
  /** Belongs to this text alone. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/** The steps that connections know by name. */
const known = new WeakMap<PoolClient, Set<string>>();

/**
 * Parses those steps that the connection does not know yet. Before any statement is asked: one that waited for this could be sent
 * when the connection is in others' hands, and would enter their transaction.
 */
export async function prepareSetupStatements(client: PoolClient, entry: readonly SetupStatement[]): Promise<void> {
  const names = known.get(client) ?? new Set();
  known.set(client, names);
  for (const { name, text } of entry.filter((step) => !names.has(step.name))) {
    await parse(client, name, text);
    names.add(name);
  }
}

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
 * Asks a statement behind its entry, in one write. What is sent before one Sync is one transaction, unless the entry begins one that
 * goes on, and of it nothing is carried out after what failed (PostgreSQL documentation, § 55.2.4 "Pipelining"). The connection has to
 * know the entry. What the entry does that outlives this is done also where the statement could not be sent.
 */
export function queryWithSetup<Row extends QueryResultRow>(
  client: PoolClient,
  entry: readonly SetupStatement[],
  statement: QueryConfig,
): Promise<Row[]> {
  // Also where it has no parameters: it would be sent by the other protocol, which the entry is no part of.
  const prepared: QueryConfig & { readonly queryMode: 'extended' } = { ...statement, queryMode: 'extended' };
  const answer = new Promise<Row[]>((resolve, reject) => {
    const query = new Query<Row>(prepared, (error, result) => {
      if (error) return reject(error);
      // After the results of the entry, which are alone where the statement could not be sent, as was told before.
      resolve([result].flat().at(-1)?.rows ?? []);
    });
    const { submit } = query;
    query.submit = (connection) => {
      // In one write to the socket.
      connection.stream.cork();
      try {
        for (const { name, values } of entry) {
          connection.bind({ statement: name, values: [...values] }, true);
          connection.execute({}, true);
        }
        const problem: unknown = submit.call(query, connection);
        if (!problem) return null;
        // Nothing was sent that would end what was entered. Its end is awaited as that of any query is.
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

/** As `pg` does with its own promises: an error is made where the socket is read, which does not tell who asked. */
function withCallerStack(error: unknown): never {
  if (error instanceof Error) Error.captureStackTrace(error);
  throw error;
}

const BEGIN: SetupStatement = { name: 'begin', text: 'begin', values: [] };

/** As the connection tells it after each statement (PostgreSQL documentation, § 55.7 "ReadyForQuery"). */
export const NO_TRANSACTION = 'I';

/** A transaction on a connection that is begun and entered by its first statement, in one round trip. */
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

  /** Where the first one rejects, Postgres refuses all that follow it, or this does where not even `begin` was carried out. */
  async query<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]> {
    if (this.#begun) return (await askInside<Row>(this.client, statement)).rows;
    this.#begun = true;
    return queryWithSetup<Row>(this.client, this.entry, statement);
  }

  /** False where nothing was asked, and so nothing was begun. */
  get begun(): boolean {
    return this.#begun;
  }

  async commit(): Promise<void> {
    // Where a statement failed and the work went on regardless, Postgres answers the commit with a rollback and no error.
    const { command } = await askInside(this.client, { text: 'commit' });
    if (command !== 'COMMIT') throw new Error('A statement of this transaction failed, so nothing of it was kept.');
  }
}

/** Asks a statement that is sent only where a transaction is open by then: outside it would be kept by itself, of no tenant and behind no fence. */
function askInside<Row extends QueryResultRow>(client: PoolClient, statement: QueryConfig): Promise<QueryResult<Row>> {
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

/** Whose rows the statements behind it see, until the transaction ends: a setting that outlived it would show them to whoever is next. */
export const setTenant = (orgId: string): SetupStatement => ({
  name: 'enter',
  text: `select where set_config('app.org_id', $1, true) is null`,
  values: [orgId],
});

/** Of these what one person may see. */
export const setViewer = (orgId: string, viewer: string): SetupStatement => ({
  name: 'enter_as_viewer',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)) is null`,
  values: [orgId, viewer],
});

/** The same, and may write nothing. */
export const setReadOnlyViewer = (orgId: string, viewer: string): SetupStatement => ({
  name: 'enter_read',
  text: `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)
    || set_config('transaction_read_only', 'on', true)) is null`,
  values: [orgId, viewer],
});
