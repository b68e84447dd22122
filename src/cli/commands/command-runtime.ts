import { parseArgs, type ParseArgsConfig } from 'node:util';
import { type Environment, EnvironmentError } from '../../config/environment.js';
import { readEnvironment } from '../../config/read-environment.js';
import { type Connections, openConnections } from '../../database/connections.js';
import { Database } from '../../database/database.js';

/** EX_USAGE of sysexits.h: the command was called in a way in which it cannot be. */
const WRONG_USAGE = 64;

/** What a command was called with. Where that cannot be, it is said together with the usage, and the process ends. */
export function readCommandLine<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return exitWithUsageError(usage, error instanceof Error ? error.message : String(error));
  }
}

/** Prints the usage to whoever asked for it, and ends the process with 0. */
export function exitWithUsage(usage: string): never {
  process.stdout.write(usage);
  process.exit(0);
}

/** Prints the usage to whoever called it otherwise, and ends the process with 64. */
export function exitWithUsageError(usage: string, problem: string): never {
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(WRONG_USAGE);
}

/** The message of an error. One of Node about a host of several addresses has none of its own: then that of each attempt. */
export const errorMessage = (error: Error): string =>
  error.message === '' && 'errors' in error && Array.isArray(error.errors)
    ? error.errors
        .map((attempt: unknown) => (attempt instanceof Error ? errorMessage(attempt) : String(attempt)))
        .join('; ')
    : error.message;

interface OwnDatabaseOptions {
  /** Whether it may be brought up to date first, as the service would at its start. */
  readonly migrates: boolean;
}

/**
 * Runs a command's work on the database of the service, which may run beside it. What goes wrong is said in a sentence on
 * stderr and ends the process with 1; the database is let go of in every case.
 */
export async function withServiceDatabase(
  environment: Environment,
  options: OwnDatabaseOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  try {
    await onOpened(await open(environment, options), work);
  } catch (error) {
    process.stderr.write(`${rootCauseMessage(error)}\n`);
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
    throw new Error(`The database cannot be used: ${rootCauseMessage(cause)}`, { cause });
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

const rootCauseMessage = (error: unknown): string => (error instanceof Error ? errorMessage(error) : String(error));

/** The environment of the service beside which a command runs. Where it does not hold, the process ends as the service would. */
export function readServiceEnvironment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(error.exitCode);
  }
}
