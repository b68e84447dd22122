import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { askEntered, learnEntry, type EntryStep } from './entry.js';

const BEGIN: EntryStep = { name: 'begin', text: 'begin', values: [] };

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

  /** Where the first one rejects, Postgres refuses all that follow it. */
  async ask<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]> {
    if (this.#begun) return (await this.client.query<Row>(statement)).rows;
    this.#begun = true;
    return askEntered<Row>(this.client, this.entry, statement);
  }

  /** False where nothing was asked, and so nothing was begun. */
  get begun(): boolean {
    return this.#begun;
  }

  async commit(): Promise<void> {
    // Where a statement failed and the work went on regardless, Postgres answers the commit with a rollback and no error.
    const { command } = await this.client.query('commit');
    if (command !== 'COMMIT') throw new Error('A statement of this transaction failed, so nothing of it was kept.');
  }
}
