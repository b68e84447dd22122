import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { listPendingMigrations, migrate } from './migrate.js';
import { assertRoles, databaseUrl, isSuperuser, createRoles } from './roles.js';

export const EMBEDDED_DATABASE = 'shipgate';

export interface ConnectionSettings {
  /** Without it the embedded database is used. */
  readonly databaseUrl?: string | undefined;
  readonly migrationUrl?: string | undefined;
  readonly dataDir: string;
  /** Stops the wait for other processes and for the embedded server. The call then rejects. */
  readonly stopping?: AbortSignal | undefined;
}

/** A migrated database with its connection URL. */
export interface Connections {
  readonly runtimeUrl: string;
  readonly embedded: EmbeddedPostgres | null;
  /** The names of the migrations that this start ran. */
  readonly migrated: readonly string[];
}

/**
 * Connects to the configured database or starts the embedded one, and migrates it. A superuser's URL is used only to
 * create the roles. Throws if the schema is outdated and no given role may migrate it.
 */
export async function openConnections({
  databaseUrl: given,
  migrationUrl,
  dataDir,
  stopping,
}: ConnectionSettings): Promise<Connections> {
  if (given === undefined) return openEmbedded(dataDir, stopping);
  if (migrationUrl !== undefined && migrationUrl !== given) {
    await assertRoles(migrationUrl);
    return { runtimeUrl: given, embedded: null, migrated: await migrate(migrationUrl, undefined, stopping) };
  }
  if (await isSuperuser(given)) return { ...(await openAsSuperuser(given, stopping)), embedded: null };
  const pending = await withDedicatedClient(given, (client) => listPendingMigrations(client));
  if (pending.length > 0) {
    throw new DatabaseSetupError([
      `its schema lacks ${pending.join(', ')}; give DATABASE_MIGRATION_URL, for a role that may migrate`,
    ]);
  }
  return { runtimeUrl: given, embedded: null, migrated: [] };
}

async function openEmbedded(folder: string, stopping: AbortSignal | undefined): Promise<Connections> {
  const embedded = await startEmbeddedPostgres({ folder, stopping });
  try {
    const connections = await openAsSuperuser(databaseUrl(embedded.superuserUrl, EMBEDDED_DATABASE), stopping);
    return { ...connections, embedded };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function openAsSuperuser(
  superuserUrl: string,
  stopping: AbortSignal | undefined,
): Promise<Omit<Connections, 'embedded'>> {
  const { runtimeUrl, migrationUrl } = await createRoles(superuserUrl);
  return { runtimeUrl, migrated: await migrate(migrationUrl, undefined, stopping) };
}
