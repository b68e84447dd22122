import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { processIdentity, isIdentityAlive } from '../../src/database/embedded/os-processes.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, createRoles } from '../../src/database/roles.js';
import { setTestServer, TEMPLATE_DATABASE } from './test-server.js';

const PREFIX = 'shipgate-tests-';
/** Where Linux keeps files in memory; a container's is often too small (64 MB are Docker's default). */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** One Postgres server for a whole run, with a migrated database that every test file clones. Answers how to end it. */
export async function startTestServer(): Promise<() => Promise<void>> {
  await sweepKilledRuns();
  const folder = mkdtempSync(join(dataDirectory(), `${PREFIX}${processIdentity(process.pid)}.`));
  // Root's server runs as another account, which has to get in.
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

/** Where files are made fastest: each file of tests clones a database of some 600, for which a disk takes thirty times as long. */
function dataDirectory(): string {
  // Who names a place means it.
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : MEMORY;
}

/** Stops and removes the servers of runs that were killed before they could: a server outlives its process. */
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
    // Another run sweeps it at the same time, or did so halfway: there is nothing to stop in what is left.
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
