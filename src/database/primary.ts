import type { Duplex } from 'node:stream';
import { Client, type DatabaseError } from 'pg';
import pTimeout from 'p-timeout';
import { hostUrls } from '../config/database-url.js';

/** A server that accepts no writes, or that another server has replaced. The request that used it gets 503. */
class NotPrimaryError extends Error {
  override readonly name = 'NotPrimary';
  /** read_only_sql_transaction, the SQLSTATE of a write on such a connection. */
  readonly code = '25006';
}

/** The maximum time in milliseconds for a connection, and for the query of the server's state. */
const ANSWER_MS = 2_000;

const IS_STANDBY = 'pg_is_in_recovery() as "isStandby"';
/**
 * The timeline is in the name of the WAL file that the server writes. Each promotion begins a timeline with a higher number.
 * The `case` avoids these functions on a standby, where they fail.
 */
export const TIMELINE = `case when pg_is_in_recovery() then 0
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

interface ServerState {
  readonly isStandby: boolean;
  /** 0 if the server does not report it. */
  readonly timeline: number;
}

/**
 * The server that accepts writes, among the servers of a connection URL. After a failover the former primary may answer
 * again, with old data, before it is stopped. So a server with a lower timeline than the highest one that was seen is
 * not used, and its sessions are ended.
 */
export class Primary {
  readonly #urls: readonly [string, ...string[]];
  readonly #sessions = new Map<Client, number>();
  #timeline = 0;
  #hasTimelines = true;
  /** The URL of the primary's host. Null if it is not known. */
  #current: string | null;
  #search: Promise<string> | null = null;

  constructor(url: string) {
    this.#urls = hostUrls(url);
    this.#current = this.#urls.length === 1 ? this.#urls[0] : null;
  }

  /** Returns the URL of the server that accepts writes. Queries all servers if it is not known. */
  async locate(): Promise<string> {
    return this.#current ?? this.#searchOnce();
  }

  /** Invalidates the known host after a failure, so that the next connection queries all hosts. */
  invalidate(): void {
    if (this.#urls.length > 1) this.#current = null;
  }

  /** Accepts a new connection, or rejects if it does not lead to the primary. */
  async admit(client: Client): Promise<void> {
    try {
      this.#learn(await this.#readState(client));
    } catch (error) {
      this.invalidate();
      throw error;
    }
    this.#sessions.set(client, this.#timeline);
    client.once('end', () => this.#sessions.delete(client));
  }

  /** Queries all hosts, to detect a failover that broke no connection. */
  async check(): Promise<void> {
    await this.#searchOnce().catch(() => undefined);
  }

  #searchOnce(): Promise<string> {
    this.#search ??= this.#searchAll().finally(() => (this.#search = null));
    return this.#search;
  }

  async #searchAll(): Promise<string> {
    const answers = await Promise.allSettled(this.#urls.map((url) => this.#readHost(url)));
    const primaries = this.#urls.flatMap((url, at) => {
      const answer = answers[at];
      return answer?.status === 'fulfilled' && !answer.value.isStandby ? [{ url, ...answer.value }] : [];
    });
    const [best] = primaries.toSorted((one, other) => other.timeline - one.timeline);
    if (!best) {
      this.invalidate();
      throw (
        answers.find((answer) => answer.status === 'rejected')?.reason ??
        new NotPrimaryError('Every host is a standby.')
      );
    }
    this.#learn(best);
    this.#current = best.url;
    return best.url;
  }

  async #readHost(url: string): Promise<ServerState> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await this.#readState(client);
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  async #readState(client: Client): Promise<ServerState> {
    const read = async (columns: string): Promise<ServerState | undefined> =>
      (await pTimeout(client.query<ServerState>(`select ${columns}`), ANSWER)).rows[0];
    try {
      if (this.#hasTimelines) return { isStandby: true, timeline: 0, ...(await read(`${IS_STANDBY}, ${TIMELINE}`)) };
    } catch (error) {
      // 0A000 not supported, 42501 forbidden: some managed servers do not offer these functions.
      const { code } = error as Partial<DatabaseError>;
      if (code !== '0A000' && code !== '42501') throw error;
      this.#hasTimelines = false;
    }
    return { isStandby: true, ...(await read(IS_STANDBY)), timeline: 0 };
  }

  /** Rejects a server that is not the primary. Ends the sessions of the former primary if this one has replaced it. */
  #learn({ isStandby, timeline }: ServerState): void {
    if (isStandby) throw new NotPrimaryError('The server is a standby. It accepts no writes.');
    if (timeline === 0) return;
    if (timeline < this.#timeline)
      throw new NotPrimaryError('The server is a former primary. Another one replaced it.');
    if (timeline === this.#timeline) return;
    this.#timeline = timeline;
    for (const [client, older] of this.#sessions) {
      // Not `end()`: the pool removes an idle connection only after an error, and a running statement must not succeed.
      if (older < timeline) getStream(client).destroy(new NotPrimaryError('Another server has become the primary.'));
    }
  }
}

const ANSWER = {
  milliseconds: ANSWER_MS,
  message: 'timeout expired: the server does not say whether it is the primary',
};

/** The driver has no public way to end a connection at once. `primary.spec.ts` fails if an upgrade changes this. */
export const getStream = (client: Client): Duplex => client.connection.stream;

/** Returns the URL of the primary's host. A URL of one host is returned as it is. */
export async function primaryUrl(url: string): Promise<string> {
  return hostUrls(url).length === 1 ? url : new Primary(url).locate();
}
