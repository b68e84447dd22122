import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { locateBinaries, type PostgresBinaries } from '../../src/database/embedded/binaries.js';
import { ensureCluster, SUPERUSER, SYSTEM_FOLDER, type Cluster } from '../../src/database/embedded/cluster.js';
import {
  serverEnvironment,
  type SystemAccount,
  unprivilegedAccount,
} from '../../src/database/embedded/os-processes.js';
import { migrate } from '../../src/database/migrate.js';
import { createRoles } from '../../src/database/roles.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';

const SETTINGS = ['listen_addresses=127.0.0.1', "unix_socket_directories=''", 'log_min_messages=warning'];

/** A Postgres server with a fixed address. It writes as durably as one in production, and a test can crash it. */
export class CrashingPostgres {
  private constructor(
    private readonly folder: string,
    private readonly cluster: Cluster,
    private readonly binaries: PostgresBinaries,
    private readonly account: SystemAccount | null,
    private readonly port: number,
  ) {}

  static async start(): Promise<CrashingPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'shipgate-crashes-'));
    // A server of root runs under another account, which needs access.
    chmodSync(folder, 0o755);
    const account = unprivilegedAccount();
    const binaries = locateBinaries(account, account === null ? resolve(folder) : SYSTEM_FOLDER);
    const cluster = await ensureCluster(folder, binaries, account, true);
    const postgres = new CrashingPostgres(folder, cluster, binaries, account, await freePort());
    await postgres.recover();
    return postgres;
  }

  /** Creates the database of the service, with its schema and roles. */
  async makeDatabase(): Promise<Pick<TestDatabase, 'appUrl' | 'ownerUrl' | 'superuserUrl'>> {
    const superuserUrl = `postgres://${SUPERUSER}:${this.cluster.password}@127.0.0.1:${this.port}/shipgate`;
    const { runtimeUrl, migrationUrl } = await createRoles(superuserUrl);
    await migrate(migrationUrl);
    return { appUrl: runtimeUrl, ownerUrl: migrationUrl, superuserUrl };
  }

  /** Ends every process of the server at once, so that the next start has to recover from its log. */
  async crash(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
  }

  /** Starts the server, and resolves when it answers. */
  async recover(): Promise<void> {
    const options = ['-p', String(this.port), ...SETTINGS.flatMap((setting) => ['-c', setting])];
    await this.control('start', '-l', join(this.cluster.home, 'postgres.log'), '-o', options.join(' '));
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async control(command: string, ...options: readonly string[]): Promise<void> {
    const child = spawn(this.binaries.pgCtl, [command, '-D', this.cluster.data, '-w', '-s', ...options], {
      ...this.account,
      cwd: '/',
      env: serverEnvironment(),
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`pg_ctl ${command} ended with ${String(code)}.`);
  }
}
