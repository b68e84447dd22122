import type { Environment } from '../../config/environment.js';
import { type Connections, openConnections } from '../../database/connections.js';
import { Database } from '../../database/database.js';
import { messageOf } from './message-of.js';

interface OwnDatabaseOptions {
  /** Whether it may be brought up to date first, as the service would at its start. */
  readonly migrates: boolean;
}

/**
 * Runs a command's work on the database of the service, which may run beside it. What goes wrong is said in a sentence on
 * stderr and ends the process with 1; the database is let go of in every case.
 */
export async function onOwnDatabase(
  environment: Environment,
  options: OwnDatabaseOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  try {
    await onOpened(await open(environment, options), work);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function open(
  { databaseUrl, databaseMigrationUrl, dataDir }: Environment,
  { migrates }: OwnDatabaseOptions,
): Promise<Connections> {
  try {
    return await openConnections({
      databaseUrl: databaseUrl ?? undefined,
      migrationUrl: (migrates ? databaseMigrationUrl : null) ?? undefined,
      dataDir,
    });
  } catch (cause) {
    throw new Error(`The database cannot be used: ${sentenceOf(cause)}`, { cause });
  }
}

async function onOpened(connections: Connections, work: (database: Database) => Promise<void>): Promise<void> {
  try {
    const database = await Database.open({ url: connections.runtimeUrl, poolSize: 2 });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await connections.embedded?.stop();
  }
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? messageOf(error) : String(error));
