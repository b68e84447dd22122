import { type QueryConfig, type QueryResult as DriverResult, types } from 'pg';
import { type DataSource, type EntityManager, QueryResult, type QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/** The part of TypeORM's `EntityManager` that runs one statement per call and stays in the transaction of the tenant. */
export type TenantEntityManager = Pick<
  EntityManager,
  | 'insert'
  | 'update'
  | 'upsert'
  | 'delete'
  | 'find'
  | 'findBy'
  | 'findOne'
  | 'findOneBy'
  | 'countBy'
  | 'existsBy'
  | 'createQueryBuilder'
>;

type RunStatement = (statement: QueryConfig) => Promise<DriverResult<object>>;

/** Creates the entity manager of one transaction, which `run` belongs to. */
export function createTenantEntityManager(source: DataSource, run: RunStatement): TenantEntityManager {
  return source.createEntityManager(new TenantQueryRunner(source, run) as QueryRunner);
}

const INT8: number = types.builtins.INT8;
const DATE: number = types.builtins.DATE;

/** Parses values as the entities declare them: `bigint` as a number, `date` as text without a time zone. */
const ENTITY_TYPES: QueryConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text') => {
    if (oid === INT8) return parseInt8;
    return oid === DATE ? String : types.getTypeParser(oid, format);
  }) as typeof types.getTypeParser,
};

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number.`);
  return value;
}

/**
 * Sends the statements of an entity manager through the transaction of a tenant. It has no connection, and it can
 * neither begin nor end a transaction.
 */
class TenantQueryRunner extends PostgresQueryRunner {
  /** Makes TypeORM begin no transaction and allow row locks. */
  override isTransactionActive = true;
  readonly #run: RunStatement;

  constructor(source: DataSource, run: RunStatement) {
    super(source.driver as PostgresDriver, 'master');
    this.#run = run;
  }

  /** Runs one statement. An error of PostgreSQL is passed on as it is, because its code decides about a retry. */
  override async query(text: string, values: unknown[] = [], structured = false): Promise<unknown> {
    const { rows, rowCount } = await this.#run({ text, values, types: ENTITY_TYPES });
    if (!structured) return rows;
    return Object.assign(new QueryResult<object>(), { raw: rows, records: rows, affected: rowCount });
  }

  override connect(): Promise<never> {
    return reject('take a connection');
  }

  override release(): Promise<never> {
    return reject('release its connection');
  }

  override startTransaction(): Promise<never> {
    return reject('begin a transaction');
  }

  override commitTransaction(): Promise<never> {
    return reject('commit');
  }

  override rollbackTransaction(): Promise<never> {
    return reject('roll back');
  }
}

function reject(action: string): Promise<never> {
  return Promise.reject(new Error(`The entity manager of a tenant cannot ${action}. Database.inTenant does that.`));
}
