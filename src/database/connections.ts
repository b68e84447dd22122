import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient } from './dedicated-client.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { listPendingMigrations, migrate } from './migrate.js';
import { assertRoles, databaseUrl, isSuperuser, createRoles } from './roles.js';

const EMBEDDED_DATABASE = 'shipgate';

export interface ConnectionSettings {
  /** The embedded database where it is missing. */
  readonly databaseUrl?: string | undefined;
  readonly migrationUrl?: string | undefined;
  readonly dataDir: string;
  /** Ends the waiting for others and for the embedded server; rejects then. */
  readonly stopping?: AbortSignal | undefined;
}

/** A migrated database, and how the service connects to it. */
export interface Connections {
  readonly runtimeUrl: string;
  readonly embedded: EmbeddedPostgres | null;
  /** The migrations that this start ran. */
  readonly migrated: readonly string[];
}

/**
 * Finds the database that the environment names, or starts the embedded one, and migrates it. A superuser's URL is used
 * to make the roles and then no more. Refuses where the schema is behind and nobody here may migrate it.
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
