import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, makeRoles } from '../../src/database/roles.js';
import { populate, type Population } from './population.js';

/** How to connect to a populated database: as the service does, and as one whom nothing holds back. */
export interface BenchDatabase {
  readonly runtimeUrl: string;
  readonly superuserUrl: string;
}

/** A Postgres server in a temporary folder, that nothing outlives. */
export class BenchServer {
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;

  private constructor(folder: string, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'shipgate-bench-'));
    // Root's server runs as another account, which has to get in.
    chmodSync(folder, 0o755);
    return new BenchServer(folder, await startEmbeddedPostgres({ folder, durable: false }));
  }

  /** Makes a database with the service's own schema and roles, and fills it. */
  async make(name: string, population: Population): Promise<BenchDatabase> {
    const superuserUrl = databaseUrl(this.#server.superuserUrl, name);
    const { runtimeUrl, migrationUrl } = await makeRoles(superuserUrl);
    await migrate(migrationUrl);
    await populate(superuserUrl, population);
    return { runtimeUrl, superuserUrl };
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
