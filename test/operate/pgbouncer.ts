import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { findPooler } from '../../src/database/pooler.js';
import type { RoleUrls } from '../../src/database/roles.js';
import { freePort } from '../support/free-port.js';
import { AS_SERVER, serverFolder } from './postgres-server.js';

/** The program, for example of a newer version than that of the distribution. */
const PROGRAM = process.env['PGBOUNCER'] ?? 'pgbouncer';

/** The version of PgBouncer as a number, such as 124 for 1.24; null if it is not installed. */
export function pgbouncerVersion(): number | null {
  const { stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return major === undefined ? null : Number(major) * 100 + Number(minor);
}

/** The first version that can keep prepared statements in transaction mode. */
export const CAN_PREPARE_SINCE = 121;

/** A PgBouncer between the service and one server. */
export class PgBouncer {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private process: ChildProcess,
  ) {}

  /**
   * Starts PgBouncer with the roles of the URLs. `settings` are lines of its configuration, such as `pool_mode =
   * transaction`.
   */
  static async start({ runtimeUrl, migrationUrl }: RoleUrls, ...settings: readonly string[]): Promise<PgBouncer> {
    const [folder, port] = [serverFolder(), await freePort()];
    const users = [runtimeUrl, migrationUrl].map((url) => new URL(url));
    writeFileSync(join(folder, 'users'), users.map((user) => `"${user.username}" "${user.password}"\n`).join(''));
    writeFileSync(
      join(folder, 'ini'),
      `[databases]
* = host=127.0.0.1 port=${users[0]?.port ?? ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
logfile = ${join(folder, 'log')}
max_client_conn = 200
${settings.join('\n')}
`,
    );
    for (const name of ['users', 'ini']) chmodSync(join(folder, name), 0o644);
    const bouncer = new PgBouncer(folder, port, launch(folder));
    await bouncer.untilItAnswers(runtimeUrl);
    return bouncer;
  }

  /** Returns the URL of the same database and role through the pooler. */
  through(serverUrl: string): string {
    return changeDatabaseUrl(serverUrl, (url) => (url.port = String(this.port)));
  }

  /**
   * Sends new connections to another server, as an operator does after a failover: changes the file, and sends a signal
   * to read it again.
   */
  follow(serverPort: number): void {
    const file = join(this.folder, 'ini');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^(\* = host=127\.0\.0\.1 port=)\d+/m, `$1${serverPort}`));
    this.process.kill('SIGHUP');
  }

  async restart(): Promise<void> {
    await this.stop();
    this.process = launch(this.folder);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
  }

  private async untilItAnswers(serverUrl: string): Promise<void> {
    for (;;) {
      const answer = await findPooler(this.through(serverUrl)).catch((error: unknown) => error);
      if (!(answer instanceof Error) || !answer.message.includes('ECONNREFUSED')) return;
      if (this.process.exitCode !== null)
        throw new Error(`PgBouncer ended: ${readFileSync(join(this.folder, 'log'), 'utf8')}`);
      await sleep(50);
    }
  }
}

const launch = (folder: string): ChildProcess =>
  spawn(PROGRAM, [join(folder, 'ini')], { ...AS_SERVER, stdio: 'ignore' });
