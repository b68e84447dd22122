import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { clockDifference, MOST_OFF_MS } from '../../database/clock-difference.js';
import { type Connections, openConnections } from '../../database/connections.js';
import { Database } from '../../database/database.js';
import { DatabaseSetupError } from '../../database/database-setup.error.js';
import { listPendingMigrations } from '../../database/migrate.js';
import { isSuperuser } from '../../database/roles.js';
import { assertTenantIsolation } from '../../database/tenancy-check.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

/** A version of Postgres as the server numbers it. */
const OLDEST_SERVER = 150_000;
const SECONDS_TO_NOTE = 2;

/** A database that is open, and what has to be closed after it. */
export interface OpenDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

const connection = new CheckResults('database');

/** Opens the database as the service would, and tells what is wrong where it cannot. */
export async function openDatabase(environment: Environment): Promise<OpenDatabase | CheckResult> {
  let opened: Pick<Connections, 'runtimeUrl' | 'embedded'> | null = null;
  try {
    opened = await connectionsOf(environment);
    const database = await Database.open({ url: opened.runtimeUrl, poolSize: 2 });
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
    return connection.fail(
      rootCauseMessage(error),
      environment.databaseUrl === null
        ? 'DATA_DIR must be a folder that this user may write, with space left; its log is in there.'
        : 'DATABASE_URL must name a Postgres that runs and lets this user in.',
    );
  }
}

/** The embedded database and a superuser's are made ready as a start would; anybody else's is only looked at. */
async function connectionsOf(environment: Environment): Promise<Pick<Connections, 'runtimeUrl' | 'embedded'>> {
  const { databaseUrl, databaseMigrationUrl, dataDir } = environment;
  if (databaseUrl !== null && (databaseMigrationUrl !== null || !(await isSuperuser(databaseUrl)))) {
    return { runtimeUrl: databaseUrl, embedded: null };
  }
  return openConnections({ databaseUrl: databaseUrl ?? undefined, migrationUrl: undefined, dataDir });
}

/** The server, its migrations, and whether it keeps tenants apart. */
export async function examineDatabase(database: Database, clock: Clock): Promise<readonly CheckResult[]> {
  const { pool } = database;
  const { rows } = await pool.query<{ version: string; number: number; role: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_user as role`,
  );
  const { version = '?', number = 0, role = '?' } = rows[0] ?? {};
  const server =
    number < OLDEST_SERVER
      ? connection.fail(`it is Postgres ${version}`, 'Use Postgres 15 or later.')
      : connection.ok(`Postgres ${version}, as ${role}`);
  return [server, await examineTime(database, clock), await examineMigrations(pool), ...(await examineTenancy(pool))];
}

/** Facts live, and decisions hold, by the database's time: a process whose clock is off by more is not ready. */
async function examineTime(database: Database, clock: Clock): Promise<CheckResult> {
  const findings = new CheckResults('database clock');
  const difference = await clockDifference(database, () => clock.now());
  const seconds = Math.round(difference / 1_000);
  const off = `it is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine's`;
  const remedy = 'Have the clocks of both machines set by NTP.';
  if (Math.abs(difference) > MOST_OFF_MS) return findings.fail(`${off}, so that no process here is ready`, remedy);
  return Math.abs(seconds) > SECONDS_TO_NOTE ? findings.warn(off, remedy) : findings.ok("it is this machine's");
}

async function examineMigrations(pool: Database['pool']): Promise<CheckResult> {
  const findings = new CheckResults('migrations');
  const pending = await listPendingMigrations(pool);
  if (pending.length === 0) return findings.ok('all of them ran');
  return findings.fail(
    `${pending.length} did not run yet, from ${pending[0]} on`,
    'Start the service once with DATABASE_MIGRATION_URL, for a role that may migrate.',
  );
}

async function examineTenancy(pool: Database['pool']): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('row-level security');
  try {
    await assertTenantIsolation(pool);
    return [findings.ok('the runtime role cannot read past it')];
  } catch (error) {
    if (!(error instanceof DatabaseSetupError)) throw error;
    const remedy = 'The service does not start like this. Make the roles as the guide for self-hosters says.';
    return error.problems.map((problem) => findings.fail(problem, remedy));
  }
}
