import pg, { Pool, type PoolClient, type PoolConfig } from 'pg';
import { DataSource, type Logger } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { ENTITIES, PostgresNames } from './entities/entities.js';

/** Disables TypeORM's logging to the console. Errors are thrown, and statements contain data of tenants. */
export const noopTypeOrmLogger: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

export interface DataSourceSettings {
  /** The URL of the runtime role. */
  readonly url: string;
  readonly poolSize?: number;
  /** Shown by `pg_stat_activity`. */
  readonly applicationName?: string;
}

const STATEMENT_LIMIT_MS = 15_000;
const IDLE_TRANSACTION_LIMIT_MS = 15_000;
const LOCK_LIMIT_MS = 5_000;
const CONNECT_LIMIT_MS = 5_000;

/** Creates the data source of the runtime role. It never changes the schema. Only migrations do. */
export function createDataSource({ url, poolSize = 10, applicationName = 'shipgate' }: DataSourceSettings): DataSource {
  return new DataSource({
    type: 'postgres',
    driver: { ...pg, Pool: GuardedPool },
    url,
    poolSize,
    applicationName,
    connectTimeoutMS: CONNECT_LIMIT_MS,
    extra: {
      statement_timeout: STATEMENT_LIMIT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_LIMIT_MS,
      lock_timeout: LOCK_LIMIT_MS,
      keepAlive: true,
    },
    installExtensions: false,
    synchronize: false,
    entities: ENTITIES,
    namingStrategy: new PostgresNames(),
    invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
    logger: noopTypeOrmLogger,
    poolErrorHandler: () => undefined,
  });
}

/** Returns the pool of an initialized data source. */
export function getPool(source: DataSource): Pool {
  return (source.driver as PostgresDriver).master as Pool;
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/**
 * A pool that survives lost connections. The user of a lost connection gets the error from its query. The error event
 * of the connection would stop the process without a listener. The event `waited` has the seconds for which a caller
 * waited because no connection was idle.
 */
class GuardedPool extends Pool {
  constructor(config?: PoolConfig) {
    super(config);
    this.on('connect', (client) => client.on('error', () => undefined));
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (this.idleCount > 0) return callback === undefined ? super.connect() : super.connect(callback);
    const startedAt = performance.now();
    const note = (): void => void this.emit('waited', (performance.now() - startedAt) / 1_000);
    if (callback === undefined) return super.connect().finally(note);
    super.connect((error, client, done) => {
      note();
      callback(error, client, done);
    });
  }
}
