import type { Logger } from 'typeorm';

/** Keeps TypeORM from writing to the console: what fails is thrown, and statements hold tenants' data. */
export const silentLogger: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};
