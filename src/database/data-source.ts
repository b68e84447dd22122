import pg, { type Pool } from 'pg';
import { DataSource, type Logger } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { hostUrls } from '../config/database-url.js';
import { ENTITIES, ColumnNames } from './entities.js';
import type { Primary } from './primary.js';
import { Replica } from './replica.js';
import { ServicePool } from './database-client.js';

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
  /** The URL of the same role without a pooler; null or missing if `url` leads to the server. */
  readonly directUrl?: string | null | undefined;
  /** Whether named statements stay prepared on a connection. False only behind a pooler. */
  readonly canPrepare?: boolean | undefined;
  readonly poolSize?: number;
  /** The URL of a standby with the same database and role; null or missing if there is none. */
  readonly replicaUrl?: string | null | undefined;
  /** Shown by `pg_stat_activity`. */
  readonly applicationName?: string;
}

const CONNECT_LIMIT_MS = 5_000;
/** Longer than the server's limit of a statement, so it ends only statements without an answer, as in a network that drops packets. */
const ANSWER_LIMIT_MS = 20_000;
const IDLE_PROBE_AFTER_MS = 5_000;
/** For the lease, the queue and the notifications of a process, and for the statements with which it takes jobs. */
export const SESSION_POOL_SIZE = 6;

/** The limits of statements, locks and idle transactions are settings of the role (`roles.ts`). */
const CONNECTION = {
  query_timeout: ANSWER_LIMIT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: IDLE_PROBE_AFTER_MS,
} as const;

/**
 * Creates the data source of the runtime role. It never changes the schema. Only migrations do. `primary` is null if
 * `url` leads to a pooler.
 */
export function createDataSource(
  { url, poolSize = 10, applicationName = 'shipgate', canPrepare = true }: DataSourceSettings,
  primary: Primary | null = null,
): DataSource {
  return new DataSource({
    type: 'postgres',
    driver: { ...pg, Pool: ServicePool },
    url: hostUrls(url)[0],
    poolSize,
    applicationName,
    connectTimeoutMS: CONNECT_LIMIT_MS,
    extra: { ...CONNECTION, primary, canPrepare },
    installExtensions: false,
    synchronize: false,
    entities: ENTITIES,
    namingStrategy: new ColumnNames(),
    invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
    logger: noopTypeOrmLogger,
    poolErrorHandler: () => undefined,
  });
}

/** Creates a pool of connections that keep their session, in addition to the connections to a pooler. */
export function createSessionPool(url: string, primary: Primary, applicationName = 'shipgate'): Pool {
  return new ServicePool({
    ...CONNECTION,
    connectionString: hostUrls(url)[0],
    max: SESSION_POOL_SIZE,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    primary,
    canPrepare: true,
  });
}

/** Creates the replica of a primary, with a pool of the same size. */
export function createReplica(
  { replicaUrl = null, poolSize = 10, applicationName = 'shipgate' }: DataSourceSettings,
  primary: Pool,
): Replica | null {
  if (replicaUrl === null) return null;
  return new Replica(replicaUrl, primary, {
    ...CONNECTION,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
}

/** Returns the pool of an initialized data source. */
export function getPool(source: DataSource): Pool {
  return (source.driver as PostgresDriver).master as Pool;
}
