import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { processIdentity, isIdentityAlive } from '../../src/database/embedded/os-processes.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, createRoles } from '../../src/database/roles.js';
import { setTestServer, TEMPLATE_DATABASE } from './test-server.js';

const PREFIX = 'shipgate-tests-';
/** The folder that Linux keeps in memory. It is often too small in a container (64 MB by default in Docker). */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** Starts one Postgres server for the whole run, with a migrated database that every test file clones. Returns how to stop it. */
export async function startTestServer(): Promise<() => Promise<void>> {
  await sweepKilledRuns();
  const folder = mkdtempSync(join(dataDirectory(), `${PREFIX}${processIdentity(process.pid)}.`));
  // A server of root runs under another account, which needs access.
  chmodSync(folder, 0o755);

  const server = await startEmbeddedPostgres({ folder, durable: false });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const template = databaseUrl(server.superuserUrl, TEMPLATE_DATABASE);
    const { runtimeUrl, migrationUrl } = await createRoles(template);
    await migrate(migrationUrl);
    setTestServer({ superuserUrl: template, runtimeUrl, migrationUrl });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folder with the fastest file creation: each test file clones a database of about 600 files, which takes thirty times as long on a disk. */
function dataDirectory(): string {
  // An explicit TMPDIR takes precedence.
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : MEMORY;
}

/** Stops and removes the servers of killed runs, because a server outlives its process. */
async function sweepKilledRuns(): Promise<void> {
  for (const place of [tmpdir(), MEMORY].filter((folder) => existsSync(folder))) {
    for (const name of readdirSync(place).filter((entry) => entry.startsWith(PREFIX))) {
      if (!isIdentityAlive(name.slice(PREFIX.length).split('.')[0] ?? '')) await sweep(join(place, name));
    }
  }
}

async function sweep(folder: string): Promise<void> {
  try {
    if (existsSync(join(folder, 'postgres'))) await (await startEmbeddedPostgres({ folder, durable: false })).stop();
  } catch {
    // Another run removes it at the same time, or was interrupted: there is no server to stop.
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
