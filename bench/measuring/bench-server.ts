import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, createRoles } from '../../src/database/roles.js';

/** How to connect to a database: as the service does, and as one whom nothing holds back. */
export interface BenchDatabase {
  readonly runtimeUrl: string;
  readonly superuserUrl: string;
}

/** A Postgres server in a temporary folder, that nothing outlives. */
export class BenchServer {
  readonly #server: EmbeddedPostgres;

  private constructor(
    /** Goes with it. */
    readonly folder: string,
    server: EmbeddedPostgres,
  ) {
    this.#server = server;
  }

  /** `durable` is false where reading is measured alone: it is filled sooner. */
  static async start(durable: boolean): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'shipgate-bench-'));
    // Root's server runs as another account, which has to get in.
    chmodSync(folder, 0o755);
    return new BenchServer(folder, await startEmbeddedPostgres({ folder, durable }));
  }

  /** Makes a database with the service's own schema and roles, and fills it. */
  async make(name: string, fill: (superuserUrl: string) => Promise<void>): Promise<BenchDatabase> {
    const superuserUrl = databaseUrl(this.#server.superuserUrl, name);
    const { runtimeUrl, migrationUrl } = await createRoles(superuserUrl);
    await migrate(migrationUrl);
    await fill(superuserUrl);
    return { runtimeUrl, superuserUrl };
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
