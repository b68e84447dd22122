import pg, { Pool, type PoolConfig } from 'pg';
import { DataSource, type Logger } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** Keeps TypeORM from writing to the console: what fails is thrown, and statements hold tenants' data. */
export const noopTypeOrmLogger: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

export interface DataSourceSettings {
  /** As the runtime role. */
  readonly url: string;
  readonly poolSize?: number;
  /** Shown by `pg_stat_activity`. */
  readonly applicationName?: string;
}

const STATEMENT_LIMIT_MS = 15_000;
const IDLE_TRANSACTION_LIMIT_MS = 15_000;
const LOCK_LIMIT_MS = 5_000;
const CONNECT_LIMIT_MS = 5_000;

/** The data source of the runtime role. It never changes the schema; that is the migrations' alone. */
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
    invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
    logger: noopTypeOrmLogger,
    poolErrorHandler: () => undefined,
  });
}

/** The pool of an initialized data source. */
export function getPool(source: DataSource): Pool {
  return (source.driver as PostgresDriver).master as Pool;
}

/**
 * A pool whose connections may lose their server at any moment: the one who holds such a connection learns of it by the
 * query that fails, but the event that goes with it would end the process if nobody listened.
 */
class GuardedPool extends Pool {
  constructor(config?: PoolConfig) {
    super(config);
    this.on('connect', (client) => client.on('error', () => undefined));
  }
}
