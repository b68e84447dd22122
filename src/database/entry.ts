import { Query, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';

/** A statement that answers no row, and is sent ahead of another one together with it. */
export interface EntryStep {
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
export async function learnEntry(client: PoolClient, entry: readonly EntryStep[]): Promise<void> {
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
export function askEntered<Row extends QueryResultRow>(
  client: PoolClient,
  entry: readonly EntryStep[],
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
  return answer.catch(retraced);
}

/** As `pg` does with its own promises: an error is made where the socket is read, which does not tell who asked. */
export function retraced(error: unknown): never {
  if (error instanceof Error) Error.captureStackTrace(error);
  throw error;
}
