import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, makeRoles } from '../../src/database/roles.js';
import { handOver, TEMPLATE_DATABASE } from './test-server.js';

/** One Postgres server for a whole run, with a migrated database that every test file clones. Answers how to end it. */
export async function startTestServer(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'shipgate-test-'));
  // Root's server runs as another account, which has to get in.
  chmodSync(folder, 0o755);

  const server = await startEmbeddedPostgres({ folder, durable: false });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const template = databaseUrl(server.superuserUrl, TEMPLATE_DATABASE);
    const { runtimeUrl, migrationUrl } = await makeRoles(template);
    await migrate(migrationUrl);
    handOver({ superuserUrl: template, runtimeUrl, migrationUrl });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
