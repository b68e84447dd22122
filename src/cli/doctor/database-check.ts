import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { clockDifference, MOST_OFF_MS } from '../../database/clock-difference.js';
import { type Connections, openConnections, type RuntimeConnection } from '../../database/connections.js';
import { Database } from '../../database/database.js';
import { DatabaseSetupError } from '../../database/database-setup.error.js';
import { readMigrationStatus } from '../../database/migration-status.js';
import { findPooler } from '../../database/pooler.js';
import { isSuperuser } from '../../database/roles.js';
import { assertTenantIsolation } from '../../database/tenancy-check.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

/** The oldest supported version, as `server_version_num`. */
const MIN_SERVER_VERSION = 150_000;
const WARN_ABOVE_SECONDS = 2;

/** An open database. `close` also stops an embedded server. */
export interface OpenDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

const connection = new CheckResults('database');

/** Opens the database like the service, or returns the reason why it cannot be opened. */
export async function openDatabase(environment: Environment): Promise<OpenDatabase | CheckResult> {
  let opened: Opened | null = null;
  try {
    opened = await openServiceConnections(environment);
    const database = await Database.open({ ...opened, url: opened.runtimeUrl, poolSize: 2 });
    const { embedded } = opened;
    return {
      database,
      close: async () => {
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await opened?.embedded?.stop();
    if (error instanceof DatabaseSetupError) {
      const remedy = 'The service does not start in this state. See "The database" in the guide for self-hosting.';
      return connection.fail(error.problems.join('; '), remedy);
    }
    return connection.fail(
      rootCauseMessage(error),
      environment.databaseUrl === null
        ? 'DATA_DIR must be a writable folder with free space. It contains the log of the database.'
        : 'DATABASE_URL must be the address of a running PostgreSQL server that accepts this user.',
    );
  }
}

type Opened = RuntimeConnection & Pick<Connections, 'embedded'>;

/** Prepares the embedded database and that of a superuser, as a start does. Other databases are only read. */
async function openServiceConnections(environment: Environment): Promise<Opened> {
  const { databaseUrl, databaseDirectUrl: directUrl, databaseMigrationUrl, dataDir } = environment;
  const hasOwnRoles = databaseMigrationUrl !== null || directUrl !== null;
  if (databaseUrl !== null && (hasOwnRoles || !(await isSuperuser(databaseUrl)))) {
    const { canPrepare } = await findPooler(databaseUrl);
    return { runtimeUrl: databaseUrl, directUrl, canPrepare, embedded: null };
  }
  return openConnections({ databaseUrl: databaseUrl ?? undefined, migrationUrl: undefined, dataDir });
}

/** Checks the server, its clock, its migrations, whether it accepts writes, and its tenant isolation. */
export async function checkDatabase(database: Database, clock: Clock): Promise<readonly CheckResult[]> {
  const { pool } = database;
  const { rows } = await pool.query<{ version: string; number: number; role: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_user as role`,
  );
  const { version = '?', number = 0, role = '?' } = rows[0] ?? {};
  const server =
    number < MIN_SERVER_VERSION
      ? connection.fail(`PostgreSQL ${version} is too old`, 'Use PostgreSQL 15 or later.')
      : connection.ok(`PostgreSQL ${version}, as ${role}`);
  const migrations = await checkMigrations(pool);
  // The probe is a function of the schema.
  const canProbe = migrations.every(({ status }) => status !== 'fail');
  return [
    server,
    await checkTime(database, clock),
    ...migrations,
    ...(canProbe ? [await checkWrites(database)] : []),
    ...(await checkTenancy(pool)),
  ];
}

/** Writes like the readiness check. It needs new space, because small writes may still find some on a full disk. */
async function checkWrites(database: Database): Promise<CheckResult> {
  const results = new CheckResults('database writes');
  const problem = await database.findWriteProblem({ needsSpace: true });
  if (problem === null) return results.ok('it accepts writes');
  const remedy =
    'Look at the server and its log, for example for a full disk or a read-only mode (default_transaction_read_only, or a standby in DATABASE_URL). Until then no process is ready.';
  return results.fail(`a write fails: ${problem}`, remedy);
}

/** A process is not ready if the clocks differ too much, because jobs, rate limits and hints use the database's clock. */
async function checkTime(database: Database, clock: Clock): Promise<CheckResult> {
  const results = new CheckResults('database clock');
  const difference = await clockDifference(database, () => clock.now());
  const seconds = Math.round(difference / 1_000);
  const off = `it is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine's clock`;
  const remedy = 'Set the clocks of both machines by NTP.';
  if (Math.abs(difference) > MOST_OFF_MS)
    return results.fail(`${off}, so processes on this machine are not ready`, remedy);
  return Math.abs(seconds) > WARN_ABOVE_SECONDS
    ? results.warn(off, remedy)
    : results.ok("it agrees with this machine's clock");
}

async function checkMigrations(pool: Database['pool']): Promise<readonly CheckResult[]> {
  const results = new CheckResults('migrations');
  const { pending, newer, conflicts } = await readMigrationStatus(pool);
  const remedies = {
    pending: 'Start the service once with DATABASE_MIGRATION_URL set to a role that may migrate.',
    newer: 'Processes of this version work with its schema during an upgrade. Replace them with the newer version.',
  };
  const found = [
    ...conflicts.map(({ problem, remedy }) => results.fail(problem, `The service does not start. ${remedy}`)),
    ...(pending.length === 0
      ? []
      : [results.fail(`${pending.length} did not run, beginning with ${pending[0]}`, remedies.pending)]),
    ...(newer.length === 0
      ? []
      : [results.warn(`a newer version has migrated the database: ${newer.join(', ')} ran`, remedies.newer)]),
  ];
  return found.length > 0 ? found : [results.ok('all migrations ran')];
}

async function checkTenancy(pool: Database['pool']): Promise<readonly CheckResult[]> {
  const results = new CheckResults('row-level security');
  try {
    await assertTenantIsolation(pool);
    return [results.ok('the runtime role cannot bypass it')];
  } catch (error) {
    if (!(error instanceof DatabaseSetupError)) throw error;
    const remedy =
      'The service does not start in this state. Create the roles as the guide for self-hosting describes.';
    return error.problems.map((problem) => results.fail(problem, remedy));
  }
}
