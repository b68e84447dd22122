import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../config/environment.js';
import { withExplainedFailure } from '../../database/connections.js';
import { createReplica, SESSION_POOL_SIZE } from '../../database/data-source.js';
import type { Database } from '../../database/database.js';
import { DatabaseConnectionError } from '../../database/database-setup.error.js';
import { findPooler, type Pooler } from '../../database/pooler.js';
import { MOST_BEHIND_MS } from '../../database/replica.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

const opening = new CheckResults('database');
const pooler = new CheckResults('pooler');
const connections = new CheckResults('database connections');
const replica = new CheckResults('replica');
const durability = new CheckResults('durability');

const DIRECT_REMEDY = 'Set DATABASE_DIRECT_URL to the same database and role without the pooler.';

type PoolerEnvironment = Pick<Environment, 'databaseUrl' | 'databaseDirectUrl' | 'databaseMigrationUrl'>;

/** Checks that the direct and the migration URL keep sessions, and that the pooler of `DATABASE_URL` is suitable. */
export async function checkPooler(
  { databaseUrl, databaseDirectUrl, databaseMigrationUrl }: PoolerEnvironment,
  find: (url: string) => Promise<Pooler> = findPooler,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, url] of [
    ['DATABASE_DIRECT_URL', databaseDirectUrl],
    ['DATABASE_MIGRATION_URL', databaseMigrationUrl],
  ] as const) {
    if (url !== null) results.push(...(await checkSessions(name, url, find)));
  }
  if (databaseUrl === null) return results;
  const { mode, canPrepare } = await find(databaseUrl);
  if (mode === 'session') return results;
  if (databaseDirectUrl === null) results.push(pooler.fail(`DATABASE_URL leads to one in ${mode} mode`, DIRECT_REMEDY));
  else if (mode === 'statement') results.push(pooler.fail('it allows no transactions', 'Use its transaction mode.'));
  else if (!canPrepare) {
    results.push(
      pooler.warn(
        'it keeps no prepared statements, so each statement is planned again',
        'Set max_prepared_statements of PgBouncer, in version 1.21 or later, for example to 200.',
      ),
    );
  } else results.push(pooler.ok('it keeps prepared statements, and DATABASE_DIRECT_URL keeps sessions'));
  return results;
}

/** Checks that the server accepts a URL that needs sessions. */
async function checkSessions(
  name: string,
  url: string,
  find: (url: string) => Promise<Pooler>,
): Promise<readonly CheckResult[]> {
  try {
    const { mode } = await withExplainedFailure(name, url, () => find(url));
    if (mode === 'session') return [];
    return [pooler.fail(`${name} leads to a pooler that keeps no session`, `Set ${name} to the server itself.`)];
  } catch (error) {
    const reason =
      error instanceof DatabaseConnectionError ? error.message : `${name} cannot be used: ${rootCauseMessage(error)}`;
    return [opening.fail(reason, `Correct ${name}.`)];
  }
}

/** The number of connections that should remain for other processes, migrations and an admin. */
const SPARE = 10;

/** The connection that looks for a failover. */
const WATCH_CONNECTIONS = 1;

/** Checks that the server has enough connections for this process. Its limit is that of the role that logs in (`session_user`). */
export async function checkConnections(
  { sessions }: Pick<Database, 'sessions'>,
  { databasePoolSize, databaseDirectUrl }: Pick<Environment, 'databasePoolSize' | 'databaseDirectUrl'>,
): Promise<readonly CheckResult[]> {
  // Not from `pool`, because a pooler may log in as another role.
  const { rows } = await sessions.query<{ most: number; ofRole: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
       (select rolconnlimit from pg_roles where rolname = session_user) as "ofRole"`,
  );
  const { most = 0, ofRole = -1 } = rows[0] ?? {};
  const limit = ofRole < 0 ? most : Math.min(most, ofRole);
  const direct = WATCH_CONNECTIONS + (databaseDirectUrl === null ? 0 : SESSION_POOL_SIZE);
  const all = databasePoolSize + direct;
  const fitting = Math.floor((limit - SPARE) / all);
  const use =
    `each process uses up to ${all} of ${limit} connections` +
    (databaseDirectUrl === null ? '' : ` (${direct} of them by DATABASE_DIRECT_URL)`);
  if (fitting >= 1) return [connections.ok(`${use}, so ${fitting} processes fit`)];
  const remedy = 'Lower DATABASE_POOL_SIZE, or raise max_connections or the connection limit of the role.';
  return [connections.warn(`${use}, which leaves fewer than ${SPARE} for others`, remedy)];
}

interface Durability {
  readonly fsync: string;
  readonly commit: string;
  readonly names: string;
  readonly standbys: number;
}

/** Checks that an acknowledged write survives a crash, and a failover if there are standbys. */
export async function checkDurability({ sessions }: Database): Promise<readonly CheckResult[]> {
  const { rows } = await sessions.query<Durability>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('synchronous_standby_names') as names,
       (select count(*)::int from pg_stat_get_wal_senders()) as standbys`,
  );
  const { fsync = 'on', commit = 'on', names = '', standbys = 0 } = rows[0] ?? {};
  if (fsync === 'off') return [durability.fail('fsync is off, so a crash may destroy the database', 'Set fsync = on.')];
  if (commit === 'off') {
    const remedy = 'Set synchronous_commit = on, also for the role of the service.';
    return [durability.fail('synchronous_commit is off, so a crash may lose acknowledged writes', remedy)];
  }
  if (standbys === 0 && names === '') return [durability.ok('a commit is on disk; there are no standbys')];
  if (names !== '' && commit !== 'local') {
    return [durability.ok(`a commit waits for a standby: synchronous_standby_names is ${names}`)];
  }
  return [
    durability.warn(
      `no commit waits for one of the ${standbys} standbys, so a failover may lose acknowledged writes`,
      'Set synchronous_standby_names, or synchronous_mode and synchronous_mode_strict of Patroni, with a watchdog.',
    ),
  ];
}

/** A working replica needs some time to reach the position that the primary had at the first check. */
const REPLICA_TRIES = 5;
const REPLICA_PAUSE_MS = 500;

/** Checks that the replica can be used. It is not needed, so it is a warning if it cannot. */
export async function checkReplica(
  { pool }: Database,
  { databaseReplicaUrl }: Pick<Environment, 'databaseReplicaUrl'>,
): Promise<readonly CheckResult[]> {
  const url = databaseReplicaUrl ?? '';
  const checked = createReplica({ url, replicaUrl: databaseReplicaUrl, poolSize: 1 }, pool);
  if (checked === null) return [];
  try {
    for (let tries = 1; ; tries += 1) {
      await checked.check();
      if (checked.problem === null) return [replica.ok('it follows the primary')];
      if (tries === REPLICA_TRIES) break;
      await sleep(REPLICA_PAUSE_MS);
    }
    return [
      replica.warn(
        `${checked.problem}, so the primary answers exports and whole lists`,
        `Set DATABASE_REPLICA_URL to a standby that is at most ${MOST_BEHIND_MS / 1_000} s behind, with the database and role of DATABASE_URL.`,
      ),
    ];
  } finally {
    await checked.close();
  }
}
