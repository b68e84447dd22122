import { randomUUID } from 'node:crypto';
import { Client, type DatabaseError, type QueryConfig } from 'pg';
import { endsConnection } from './outage.js';
import { primaryUrl } from './primary.js';

/** How the server or pooler of a URL handles sessions. */
export interface Pooler {
  /**
   * `session`: the server, or a pooler that gives each connection one session. `transaction`: a pooler that may give each
   * transaction another one. `statement`: a pooler that allows no transactions.
   */
  readonly mode: 'session' | 'transaction' | 'statement';
  /** Whether a named statement stays prepared on a connection. */
  readonly canPrepare: boolean;
}

const LIMIT_MS = 10_000;
/** How long a statement may wait for a session that another transaction has. */
const TURN_MS = 2_000;

/** Detects whether a URL leads to a pooler, and how the pooler handles sessions. */
export async function findPooler(ofHosts: string): Promise<Pooler> {
  const url = await primaryUrl(ofHosts);
  const [one, ...others] = [newClient(url), newClient(url), newClient(url)] as const;
  try {
    await one.connect();
    // A pooler sends its own process id, so that it can route a cancel request.
    if ((await readSession(one)) === (one as Client & { readonly processID: number }).processID) return SESSION;
    await Promise.all(others.map((other) => other.connect()));
    if (!(await changesSession(one, others))) return SESSION;
    return { mode: 'transaction', canPrepare: await canPrepare(one, others) };
  } catch (error) {
    // PgBouncer has no specific code for this error.
    if ((error as Error).message.includes('statement pooling')) return { mode: 'statement', canPrepare: false };
    throw error;
  } finally {
    await Promise.all([one, ...others].map((client) => client.end().catch(() => undefined)));
  }
}

const SESSION: Pooler = { mode: 'session', canPrepare: true };

function newClient(url: string): Client {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: LIMIT_MS, query_timeout: LIMIT_MS });
  client.on('error', () => undefined);
  return client;
}

/** Returns whether a connection has another session while others have a transaction in the one that it had. */
async function changesSession(one: Client, others: readonly Client[]): Promise<boolean> {
  const before = await readSession(one);
  return besideTransactions(others, async () => (await readSession(one)) !== before);
}

async function canPrepare(one: Client, others: readonly Client[]): Promise<boolean> {
  const statement = { name: `shipgate_probe_${randomUUID()}`, text: 'select 1' };
  try {
    await one.query(statement);
    return !(await besideTransactions(others, async () => (await one.query(statement)).rowCount !== 1));
  } catch (error) {
    // 26000: the statement is unknown. 42P05: its name is in use. Both mean that it was prepared in another session.
    const { code } = error as Partial<DatabaseError>;
    if (code === '26000' || code === '42P05') return false;
    throw error;
  }
}

/**
 * Returns whether `work` resolves with true while one connection has a transaction, or while two have one, because a pooler that
 * uses its sessions in turn may return to the same session. True also if `work` has to wait for the transactions.
 */
async function besideTransactions(others: readonly Client[], work: () => Promise<boolean>): Promise<boolean> {
  const open: Client[] = [];
  try {
    for (const other of others) {
      open.push(other);
      await other.query('begin');
      if (await work().catch(isUnanswered)) return true;
    }
    return false;
  } finally {
    for (const other of open) await other.query('rollback').catch(() => undefined);
  }
}

function isUnanswered(error: unknown): true {
  if (endsConnection(error)) return true;
  throw error;
}

async function readSession(client: Client): Promise<number | undefined> {
  const statement: QueryConfig & { readonly query_timeout: number } = {
    text: 'select pg_backend_pid() as pid',
    query_timeout: TURN_MS,
  };
  return (await client.query<{ pid: number }>(statement)).rows[0]?.pid;
}
