import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/**
 * Lets TypeORM work on a connection whose transaction others began and will end: what it opens as a transaction is a
 * savepoint, and neither the transaction nor the connection is its to end.
 */
export class TenantQueryRunner extends PostgresQueryRunner {
  constructor(source: DataSource, client: PoolClient) {
    super(source.driver as PostgresDriver, 'master');
    this.databaseConnection = client;
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    this.manager = source.createEntityManager(this);
  }

  override async commitTransaction(): Promise<void> {
    this.#refuseTheOutermost();
    await super.commitTransaction();
  }

  override async rollbackTransaction(): Promise<void> {
    this.#refuseTheOutermost();
    await super.rollbackTransaction();
  }

  override release(): Promise<void> {
    return Promise.resolve();
  }

  #refuseTheOutermost(): void {
    if (this.transactionDepth === 1)
      throw new Error('The tenant’s transaction ends with the work that it was opened for.');
  }
}
