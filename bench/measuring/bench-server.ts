import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl, createRoles } from '../../src/database/roles.js';

/** The URLs of a database: for the service and for a superuser. */
export interface BenchDatabase {
  readonly runtimeUrl: string;
  readonly superuserUrl: string;
}

/** A Postgres server in a temporary folder, which is deleted with it. */
export class BenchServer {
  readonly #server: EmbeddedPostgres;

  private constructor(
    /** Is deleted when the server stops. */
    readonly folder: string,
    server: EmbeddedPostgres,
  ) {
    this.#server = server;
  }

  /** `durable` is false if only reads are measured, because the data then loads faster. */
  static async start(durable: boolean): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'shipgate-bench-'));
    // If this process is root, the server runs as another account, which needs access.
    chmodSync(folder, 0o755);
    return new BenchServer(folder, await startEmbeddedPostgres({ folder, durable }));
  }

  /** Creates a database with the schema and roles of the service, and fills it. */
  async createDatabase(name: string, fill: (superuserUrl: string) => Promise<void>): Promise<BenchDatabase> {
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
