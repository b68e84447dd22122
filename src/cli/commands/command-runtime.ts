import { parseArgs, type ParseArgsConfig } from 'node:util';
import { type Environment, EnvironmentError } from '../../config/environment.js';
import { readEnvironment } from '../../config/read-environment.js';
import { type Connections, type ConnectionSettings, openConnections } from '../../database/connections.js';
import { Database } from '../../database/database.js';
import { DatabaseConnectionError, DatabaseSetupError } from '../../database/database-setup.error.js';

/** EX_USAGE of sysexits.h: the command was called with wrong arguments. */
const WRONG_USAGE = 64;

/** Parses the arguments of a command. If they are wrong, prints the problem and the usage, and ends the process. */
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

/** Prints the usage to stdout and ends the process with 0. */
export function exitWithUsage(usage: string): never {
  process.stdout.write(usage);
  process.exit(0);
}

/** Prints the problem and the usage to stderr and ends the process with 64. */
export function exitWithUsageError(usage: string, problem: string): never {
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(WRONG_USAGE);
}

/** Returns the message of an error. Node's error about a host with several addresses has no message, only one per attempt. */
export const fullMessage = (error: Error): string =>
  error.message === '' && 'errors' in error && Array.isArray(error.errors)
    ? error.errors
        .map((attempt: unknown) => (attempt instanceof Error ? fullMessage(attempt) : String(attempt)))
        .join('; ')
    : error.message;

interface ServiceDatabaseOptions {
  /** Whether to migrate the database first, as the service does at its start. */
  readonly migrates: boolean;
}

/**
 * Runs a command's work on the database of the service, which may be running. Prints an error to stderr and sets the exit
 * code. Closes the database in every case.
 */
export async function withServiceDatabase(
  environment: Environment,
  options: ServiceDatabaseOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  try {
    await runAndClose(await open(environment, options), work);
  } catch (error) {
    printFailure(error);
  }
}

/** Prints the message of an error to stderr, and sets the exit code of the service for a database that cannot be used, otherwise 1. */
export function printFailure(error: unknown): void {
  process.stderr.write(`${rootCauseMessage(error)}\n`);
  const cause = error instanceof Error ? error.cause : undefined;
  const isExplained = cause instanceof DatabaseSetupError || cause instanceof DatabaseConnectionError;
  process.exitCode = isExplained ? cause.exitCode : 1;
}

/** The settings of the environment for a connection as the role that migrates. */
export const toConnectionSettings = ({
  databaseUrl,
  databaseDirectUrl,
  databaseMigrationUrl,
  dataDir,
}: Environment): ConnectionSettings => ({
  databaseUrl: databaseUrl ?? undefined,
  directUrl: databaseDirectUrl ?? undefined,
  migrationUrl: databaseMigrationUrl ?? undefined,
  dataDir,
});

async function open(environment: Environment, { migrates }: ServiceDatabaseOptions): Promise<Connections> {
  try {
    const settings = toConnectionSettings(environment);
    return await openConnections(migrates ? settings : { ...settings, migrationUrl: undefined });
  } catch (cause) {
    throw new Error(`The database cannot be used: ${rootCauseMessage(cause)}`, { cause });
  }
}

async function runAndClose(connections: Connections, work: (database: Database) => Promise<void>): Promise<void> {
  try {
    const database = await Database.open({ ...connections, url: connections.runtimeUrl, poolSize: 2 });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await connections.embedded?.stop();
  }
}

const rootCauseMessage = (error: unknown): string => (error instanceof Error ? fullMessage(error) : String(error));

/** Reads the environment of the service. Ends the process like the service if it is invalid. */
export function readServiceEnvironment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(error.exitCode);
  }
}
