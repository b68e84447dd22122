import type { DatabaseError, Pool, PoolClient, QueryConfig } from 'pg';
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

const ATTEMPTS = 3;
// serialization_failure and deadlock_detected (PostgreSQL documentation, appendix "Error Codes"): nothing was done, and
// the same work may well succeed the next time.
const WORTH_REPEATING = new Set(['40001', '40P01']);

const NOTHING: QueryConfig = { name: 'nothing', text: 'select' };

const opened = Symbol('opened by Database.inTenant');

/** A person who looks at a workspace, and is shown of its private repositories only what the code host lets them read. */
export interface Viewer {
  readonly orgId: OrgId;
  /** The person's id on the code host; `NOBODY` sees no private repository at all. */
  readonly person: number;
}

/** A viewer of whom it is not known now what they may read. */
export const NO_USER_ID = 0;

type Ask = <Row extends object>(statement: QueryConfig) => Promise<Row[]>;

/**
 * A transaction that sees and changes one tenant's rows alone. There is no way to one but `Database.inTenant`, `Database.asViewer` and
 * `Database.readAsViewer`, so what takes it as an argument cannot run outside a tenant. It refuses every statement once its work has
 * ended.
 */
export class TenantTransaction {
  readonly #ask: Ask;
  #ended = false;

  constructor(
    key: typeof opened,
    readonly orgId: OrgId,
    ask: Ask,
  ) {
    if (key !== opened) throw new TypeError('Only Database.inTenant opens a tenant.');
    this.#ask = ask;
  }

  /** The rows of one statement. */
  async query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    return this.#put<Row>({ text: sql, values: [...params] });
  }

  /**
   * The same, of a statement that is parsed and planned once a connection under its name, which belongs to this text alone.
   * Row-level security makes a statement of five tables take longer to plan than to carry out.
   */
  async queryPrepared<Row extends object>(name: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
    return this.#put<Row>({ name, text: sql, values: [...params] });
  }

  /** For `Database` alone. The connection goes on to serve others, so nothing late may reach it. */
  end(key: typeof opened): void {
    if (key === opened) this.#ended = true;
  }

  #put<Row extends object>(statement: QueryConfig): Promise<Row[]> {
    if (this.#ended) throw new Error('This transaction has ended.');
    return this.#ask<Row>(statement);
  }
}

/** The only door to the database: a tenant's transaction, or a look-up of what must be known before the tenant is. */
export class Database {
  readonly #source: DataSource;
  /** For what brings its own statements, such as the job queue. Tenant tables are empty to whoever uses it directly. */
  readonly pool: Pool;

  private constructor(source: DataSource) {
    this.#source = source;
    this.pool = getPool(source);
  }

  /** Connects as the runtime role; rejects where the database does not answer. */
  static async open(settings: DataSourceSettings): Promise<Database> {
    return new Database(await createDataSource(settings).initialize());
  }

  /**
   * Runs `work` in a transaction of the tenant: all that it wrote is kept when it resolves, nothing when it rejects. It
   * is run again, up to three times, where others' transactions stood in its way, so it may do nothing outside the
   * database. The transaction begins with its first statement. Where the connection is lost during the commit it rejects, and only
   * the database knows what became of it.
   */
  async inTenant<T>(orgId: OrgId, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.#repeat(orgId, setTenant(toOrgId(orgId)), work);
  }

  /** The same for a person's eyes: rows of private repositories that the viewer may not read are not there. */
  async asViewer<T>({ orgId, person }: Viewer, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.#repeat(orgId, setViewer(toOrgId(orgId), nameOf(person)), work);
  }

  /**
   * The same for work that only reads, and need not read all of it at one moment: each statement is a transaction of its own,
   * which is entered together with it. So it costs one round trip a statement and no other; one that writes is refused.
   */
  async readOnlyAsViewer<T>({ orgId, person }: Viewer, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const entry = [setReadOnlyViewer(toOrgId(orgId), nameOf(person))];
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, entry);
      return within(
        new TenantTransaction(opened, orgId, (statement) => queryWithSetup(client, entry, statement)),
        work,
      );
    });
  }

  /**
   * Runs one statement outside every tenant, planned once a connection under its name, which belongs to this text
   * alone. Only the definer functions of the look-ups show anything there.
   */
  async queryWithoutTenant<Row extends object>(name: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
    const statement = { name, text: sql, values: [...params] };
    const fence = currentFence();
    return fence === null ? (await this.pool.query<Row>(statement)).rows : this.#behind(fence, statement);
  }

  /** Rejects where the fence that is around the caller holds no longer. */
  async assertFence(): Promise<void> {
    const fence = currentFence();
    if (fence !== null) await this.#behind(fence, NOTHING);
  }

  /** Whether the database answers. */
  async isHealthy(): Promise<boolean> {
    return this.pool.query('select 1').then(
      () => true,
      () => false,
    );
  }

  /** Waits for the transactions under way and closes the connections. */
  async close(): Promise<void> {
    await this.#source.destroy();
  }

  async #repeat<T>(orgId: OrgId, eyes: SetupStatement, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transact(orgId, eyes, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !WORTH_REPEATING.has((error as Partial<DatabaseError>).code ?? '')) throw error;
      }
    }
  }

  /** Whoever asks nothing in it is refused as well where the fence around it is broken. */
  async #transact<T>(orgId: OrgId, eyes: SetupStatement, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const fence = currentFence();
    return this.#onConnection(async (client) => {
      const transaction = await PipelinedTransaction.on(client, fence === null ? [eyes] : [eyes, fence.proof]);
      const result = await within(
        new TenantTransaction(opened, orgId, (statement) => transaction.query(statement)),
        work,
      );
      if (transaction.begun) await transaction.commit();
      else if (fence !== null) await queryWithSetup(client, [fence.proof], NOTHING);
      return result;
    });
  }

  /** One statement that is a transaction of its own, and not carried out where the fence is broken. */
  async #behind<Row extends object>(fence: Fence, statement: QueryConfig): Promise<Row[]> {
    return this.#onConnection(async (client) => {
      await prepareSetupStatements(client, [fence.proof]);
      return queryWithSetup<Row>(client, [fence.proof], statement);
    });
  }

  /** Whatever becomes of the work, whoever is given the connection next finds no transaction on it. */
  async #onConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const fence = currentFence();
    const client = await this.pool.connect();
    let result: T;
    try {
      result = await work(client);
    } catch (error) {
      await leaveClean(client);
      throw fence !== null && (error as Partial<DatabaseError>).code === FENCE_LOST ? fence.broken() : error;
    }
    client.release();
    return result;
  }
}

function nameOf(person: number): string {
  if (!Number.isSafeInteger(person) || person < 0) throw new TypeError('A viewer is named by a numeric id.');
  return String(person);
}

async function within<T>(tx: TenantTransaction, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
  try {
    return await work(tx);
  } finally {
    tx.end(opened);
  }
}

/** Gives the connection back without a transaction; one that is lost, or may still hold a transaction, is closed instead. */
async function leaveClean(client: PoolClient): Promise<void> {
  try {
    // Of the statement that failed last its state is not known yet. No statement at all is answered as well, and a rollback where
    // there is no transaction would be a warning in Postgres's log.
    if (client.getTransactionStatus() === NO_TRANSACTION) await client.query('');
    if (client.getTransactionStatus() !== NO_TRANSACTION) await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}
