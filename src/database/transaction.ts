import { Query, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { askEntered, learnEntry, retraced, type EntryStep } from './entry.js';

const BEGIN: EntryStep = { name: 'begin', text: 'begin', values: [] };

/** As the connection tells it after each statement (PostgreSQL documentation, § 55.7 "ReadyForQuery"). */
export const NO_TRANSACTION = 'I';

/** A transaction on a connection that is begun and entered by its first statement, in one round trip. */
export class Transaction {
  #begun = false;

  private constructor(
    private readonly client: PoolClient,
    private readonly entry: readonly EntryStep[],
  ) {}

  static async on(client: PoolClient, entry: readonly EntryStep[]): Promise<Transaction> {
    const transaction = new Transaction(client, [BEGIN, ...entry]);
    await learnEntry(client, transaction.entry);
    return transaction;
  }

  /** Where the first one rejects, Postgres refuses all that follow it, or this does where not even `begin` was carried out. */
  async ask<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]> {
    if (this.#begun) return (await askInside<Row>(this.client, statement)).rows;
    this.#begun = true;
    return askEntered<Row>(this.client, this.entry, statement);
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
  return answer.catch(retraced);
}
