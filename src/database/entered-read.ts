import { Query, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';

/** Whose rows a statement sees: of one tenant, and of these what one person may see. */
export interface Eyes {
  readonly orgId: string;
  readonly viewer: string;
}

const ENTER = 'enter_read';
// It answers no row: one would be taken for the first of the statement behind it.
const ENTER_TEXT = `select where (set_config('app.org_id', $1, true) || set_config('app.viewer', $2, true)
  || set_config('transaction_read_only', 'on', true)) is null`;

/** Connections on which the entry was planned. */
const entries = new WeakSet<PoolClient>();

/**
 * Plans the entry where the connection does not know it yet. Before any statement is asked: one that waited for this could be sent
 * when the connection is in others' hands, and would enter their transaction.
 */
export async function planEntry(client: PoolClient): Promise<void> {
  if (entries.has(client)) return;
  // By itself it sets nothing that lasts.
  await client.query({ name: ENTER, text: ENTER_TEXT, values: ['', ''] });
  entries.add(client);
}

/**
 * Asks a statement in a transaction of its own, which it is sent together with and which may not write. What is sent before one
 * Sync is one transaction (PostgreSQL documentation, § 55.2.4 "Pipelining"): the settings end with the statement, and where they
 * cannot be made it is not carried out. The connection has to know the entry. It is clean also where this rejects, if it is not lost.
 */
export function readEntered<Row extends QueryResultRow>(
  client: PoolClient,
  { orgId, viewer }: Eyes,
  statement: QueryConfig,
): Promise<Row[]> {
  // Also where it has no parameters: it would be sent by the other protocol, which the entry is no part of.
  const prepared: QueryConfig & { readonly queryMode: 'extended' } = { ...statement, queryMode: 'extended' };
  return new Promise((resolve, reject) => {
    const query = new Query<Row>(prepared, (error, result) => {
      if (error) return reject(error);
      // The entry's result is the first of the two, and the only one of a statement that could not be sent, which was told before.
      resolve([result].flat().at(-1)?.rows ?? []);
    });
    const { submit } = query;
    query.submit = (connection) => {
      // In one write to the socket.
      connection.stream.cork();
      try {
        connection.bind({ statement: ENTER, values: [orgId, viewer] }, true);
        connection.execute({}, true);
        const problem: unknown = submit.call(query, connection);
        if (!problem) return null;
        // Nothing was sent that would end the transaction which is entered. Its end is awaited as that of any query is.
        connection.sync();
        reject(problem);
        return null;
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
}
