import { DatabaseSetupError, OutdatedSchemaError, DatabaseConnectionError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { migrate } from './migrate.js';
import { assertKnownSchema } from './migration-status.js';
import { findPooler } from './pooler.js';
import { ensureRoleSettings, assertRoles, databaseUrl, isSuperuser, createRoles } from './roles.js';
import { hostUrls } from '../config/database-url.js';
import { isConnectionLost, isConnectionRejected, isTlsFailure, UNKNOWN_HOST_CODES } from './outage.js';

export const EMBEDDED_DATABASE = 'shipgate';

export interface ConnectionSettings {
  /** If it is missing, the embedded database is used. */
  readonly databaseUrl?: string | undefined;
  /** The same database and role without a pooler. */
  readonly directUrl?: string | undefined;
  readonly migrationUrl?: string | undefined;
  readonly dataDir: string;
  /** Stops the wait for other processes and for the embedded server. The call then rejects. */
  readonly stopping?: AbortSignal | undefined;
}

/** How the runtime role connects. */
export interface RuntimeConnection {
  readonly runtimeUrl: string;
  /** Null if `runtimeUrl` keeps sessions, so that no second URL is necessary. */
  readonly directUrl: string | null;
  /** Whether named statements stay prepared on a connection of `runtimeUrl`. */
  readonly canPrepare: boolean;
}

/** A migrated database with its connection URLs. */
export interface Connections extends RuntimeConnection {
  readonly embedded: EmbeddedPostgres | null;
  /** The names of the migrations that this start ran. */
  readonly migrated: readonly string[];
}

type Migrated = Omit<Connections, 'canPrepare'>;

/**
 * Connects to the configured database or starts the embedded one, and migrates it. A superuser's URL is used only to
 * create the roles. Throws if the schema is unknown, or outdated and no given role may migrate it, or if a pooler does not leave the sessions and
 * transactions that the service needs.
 */
export async function openConnections(settings: ConnectionSettings): Promise<Connections> {
  const migrated = await openMigrated(settings);
  try {
    return { ...migrated, canPrepare: await prepareRuntime(migrated) };
  } catch (error) {
    await migrated.embedded?.stop();
    throw error;
  }
}

async function openMigrated(settings: ConnectionSettings): Promise<Migrated> {
  const { databaseUrl: runtimeUrl, directUrl = null, migrationUrl, dataDir, stopping } = settings;
  if (runtimeUrl === undefined) return openEmbedded(dataDir, stopping);
  const opened = { runtimeUrl, directUrl, embedded: null };
  if (migrationUrl !== undefined && migrationUrl !== runtimeUrl) {
    return withExplainedFailure('DATABASE_MIGRATION_URL', migrationUrl, async () => {
      await assertSessionMode(migrationUrl, 'DATABASE_MIGRATION_URL leads to a pooler; give the URL of the server');
      await assertRoles(migrationUrl);
      return { ...opened, migrated: await migrate(migrationUrl, undefined, stopping) };
    });
  }
  const url = directUrl ?? runtimeUrl;
  return withExplainedFailure(directUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url, async () => {
    if (await isSuperuser(url)) {
      if (directUrl === null) return { ...opened, ...(await openAsSuperuser(url, stopping)) };
      throw new DatabaseSetupError([
        'DATABASE_DIRECT_URL names a superuser; give the role of the service in both URLs',
      ]);
    }
    const { pending } = await withDedicatedClient(url, (client) => assertKnownSchema(client));
    if (pending.length === 0) return { ...opened, migrated: [] };
    throw new OutdatedSchemaError(pending);
  });
}

async function openEmbedded(folder: string, stopping: AbortSignal | undefined): Promise<Migrated> {
  const embedded = await startEmbeddedPostgres({ folder, stopping });
  try {
    const url = databaseUrl(embedded.superuserUrl, EMBEDDED_DATABASE);
    return { ...(await openAsSuperuser(url, stopping)), directUrl: null, embedded };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function openAsSuperuser(
  superuserUrl: string,
  stopping: AbortSignal | undefined,
): Promise<Pick<Connections, 'runtimeUrl' | 'migrated'>> {
  const { runtimeUrl, migrationUrl } = await createRoles(superuserUrl);
  return { runtimeUrl, migrated: await migrate(migrationUrl, undefined, stopping) };
}

/** Gives the runtime role its settings. Returns whether named statements stay prepared on its connections. */
async function prepareRuntime({ runtimeUrl, directUrl }: Migrated): Promise<boolean> {
  const [setting, url] = directUrl === null ? ['DATABASE_URL', runtimeUrl] : ['DATABASE_DIRECT_URL', directUrl];
  await withExplainedFailure(setting, url, async () => {
    await assertSessionMode(url, directUrl === null ? NEEDS_DIRECT_URL : 'DATABASE_DIRECT_URL leads to a pooler, too');
    await ensureRoleSettings(url);
  });
  if (directUrl === null) return true;
  return withExplainedFailure('DATABASE_URL', runtimeUrl, async () => {
    const { mode, canPrepare } = await findPooler(runtimeUrl);
    if (mode === 'statement') throw new DatabaseSetupError(['DATABASE_URL leads to a pooler without transactions']);
    if ((await readIdentity(runtimeUrl)) !== (await readIdentity(directUrl))) {
      throw new DatabaseSetupError(['DATABASE_URL and DATABASE_DIRECT_URL lead to different databases or roles']);
    }
    return canPrepare;
  });
}

const NEEDS_DIRECT_URL =
  'DATABASE_URL leads to a pooler that gives each transaction another session; notifications and the leases of workers ' +
  'need one of their own, so give DATABASE_DIRECT_URL, which leads to the server itself';

async function assertSessionMode(url: string, problem: string): Promise<void> {
  if ((await findPooler(url)).mode !== 'session') throw new DatabaseSetupError([problem]);
}

/** Returns a text that is equal for two connections exactly if they lead to the same database as the same role. */
function readIdentity(url: string): Promise<string> {
  return withDedicatedClient(url, async (client) => {
    const { rows } = await client.query<{ identity: string }>(
      `select concat_ws(' ', current_user, oid, pg_postmaster_start_time()) as identity
       from pg_database where datname = current_database()`,
    );
    return rows[0]?.identity ?? '';
  });
}

/** Runs work that connects with a setting, such as `DATABASE_URL`. A failure of the connection becomes one sentence. */
export async function withExplainedFailure<T>(setting: string, url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(setting, url, error);
  }
}

function explain(setting: string, url: string, error: unknown): unknown {
  const { code = '', message } = error as Error & { readonly code?: string };
  const place = `${hostUrls(url).map(hostAndPort).join(', ')} (${setting})`;
  const isRejected = isConnectionRejected(error);
  const failure = (sentence: string): Error =>
    new DatabaseConnectionError(sentence, { cause: error, mayPass: !isRejected });
  if (UNKNOWN_HOST_CODES.includes(code)) return failure(`The name of the database's host is not known: ${place}.`);
  if (code === 'ECONNREFUSED') return failure(`No database listens at ${place}.`);
  if (isRejected) return failure(`The database at ${place} rejects the connection: ${message}.`);
  if (isTlsFailure(error)) return failure(`The TLS connection to the database at ${place} fails: ${message}.`);
  return isConnectionLost(error) ? failure(`The database at ${place} does not answer: ${message}.`) : error;
}

function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${decodeURIComponent(hostname) || 'localhost'}:${port || '5432'}`;
}
