import { Logger } from '@nestjs/common';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import pTimeout from 'p-timeout';
import { type Primary, getStream } from './primary.js';

export interface ServicePoolConfig extends PoolConfig {
  /** Finds the server of each connection. Null behind a pooler, which selects the server. */
  readonly primary: Primary | null;
  /** Whether named statements stay prepared. A pooler may give each transaction another session. */
  readonly canPrepare: boolean;
}

/** The configuration that the pool gives to each of its connections. */
type ClientConfig = ServicePoolConfig & {
  /** The connections of the pool that did not end yet. */
  readonly open: Set<DatabaseClient>;
};

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** A connection of the service's pools, to the server that accepts writes. */
export class DatabaseClient extends Client {
  readonly #primary: Primary | null;
  readonly canPrepare: boolean;
  readonly #open: Set<DatabaseClient>;
  #isCut = false;

  constructor(config: ClientConfig) {
    super(config);
    this.#primary = config.primary;
    this.canPrepare = config.canPrepare;
    this.#open = config.open;
    this.#open.add(this);
    this.once('end', () => this.#open.delete(this));
  }

  /** Ends the connection without a message to the server, also one that is not established yet. */
  cut(): void {
    this.#isCut = true;
    getStream(this).destroy();
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | void {
    const connected = this.#connectToPrimary();
    if (callback === undefined) return connected;
    const answer = callback as (error: Error | null, client?: Client) => void;
    connected.then(
      () => answer(null, this),
      (error: unknown) => {
        this.#open.delete(this);
        answer(error as Error);
      },
    );
  }

  async #connectToPrimary(): Promise<Client> {
    if (this.#primary === null) return super.connect();
    // The driver reads the URL, for example the default of its port.
    const { host, port } = new Client({ connectionString: await this.#primary.locate() });
    Object.assign(this, { host, port });
    if (this.#isCut) throw new Error('The pool was closed.');
    try {
      return await super.connect();
    } catch (error) {
      this.#primary.invalidate();
      throw error;
    }
  }
}

/** How long the users of connections may keep them after the pool was ended. Shorter than the shutdown step of the database. */
const LAST_USE_MS = 3_000;

type Release = (error?: Error | boolean) => void;
type Taken = (error: Error | undefined, client: PoolClient | undefined, done: Release) => void;

/**
 * A pool that survives lost connections. The user of a lost connection gets the error from its query. The error event
 * of the connection would stop the process without a listener. The event `waited` has the seconds for which a caller
 * waited because no connection was idle.
 */
export class ServicePool extends Pool {
  readonly #open: Set<DatabaseClient>;

  constructor(config: ServicePoolConfig) {
    const open = new Set<DatabaseClient>();
    super({
      ...config,
      open,
      Client: DatabaseClient as unknown as new () => Client,
      ...admission(config),
    } as PoolConfig);
    this.#open = open;
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('error', () => undefined);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Taken): void;
  override connect(callback?: Taken): Promise<PoolClient> | void {
    const startedAt = performance.now();
    const note = (): void => void this.emit('waited', (performance.now() - startedAt) / 1_000);
    const mustWait = this.idleCount === 0;
    if (callback === undefined) return mustWait ? super.connect().finally(note) : super.connect();
    super.connect((error, client, done) => {
      if (mustWait) note();
      callback(error, client, client ? releaseOnce(done) : done);
    });
  }

  /**
   * Waits a short time for the users of connections, and then cuts the connections. Does not wait for idle connections to end. A server
   * that hangs or is not reachable ends no connection, and a pooler answers no statement while its server is away.
   */
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: (error?: Error) => void): Promise<void> | void {
    const ended = pTimeout(super.end(), {
      milliseconds: LAST_USE_MS,
      fallback: () => {
        new Logger(ServicePool.name).warn(`${this.#open.size} connections did not end in time and were cut.`);
        for (const client of this.#open) client.cut();
      },
    });
    if (callback === undefined) return ended;
    const answer = callback;
    ended.then(() => answer(), answer);
  }
}

/**
 * The library of the queue releases its subscription twice if the connection is lost while its pool stops. The error of the pool would
 * then end the process, because the library does not handle it.
 */
function releaseOnce(done: Release): Release {
  let isReleased = false;
  return (error) => {
    if (isReleased) return;
    isReleased = true;
    done(error);
  };
}

/** The pool awaits the promise of `onConnect`, although its types do not declare it. */
const admission = ({ primary }: ServicePoolConfig): object =>
  primary === null ? {} : { onConnect: (client: Client) => primary.admit(client) };
