import type { Environment } from '../config/environment.js';
import { openConnections } from '../database/connections.js';
import { Database } from '../database/database.js';

interface OwnDatabaseOptions {
  /** Whether it may be brought up to date first, as the service would at its start. */
  readonly migrates: boolean;
}

/**
 * Runs a command's work on the database of the service, which may run beside it. What goes wrong is said in a sentence on
 * stderr and ends the process with 1; the database is let go of in every case.
 */
export async function onOwnDatabase(
  { databaseUrl, databaseMigrationUrl, dataDir }: Environment,
  { migrates }: OwnDatabaseOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const connections = await openConnections({
    databaseUrl: databaseUrl ?? undefined,
    migrationUrl: (migrates ? databaseMigrationUrl : null) ?? undefined,
    dataDir,
  });
  const database = await Database.open({ url: connections.runtimeUrl, poolSize: 2 });
  try {
    await work(database);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await database.close();
    await connections.embedded?.stop();
  }
}
