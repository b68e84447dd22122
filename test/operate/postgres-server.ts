import { spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverEnvironment, unprivilegedAccount } from '../../src/database/embedded/os-processes.js';
import { migrate } from '../../src/database/migrate.js';
import { createRoles, type RoleUrls } from '../../src/database/roles.js';
import { freePort } from '../support/free-port.js';

const PACKAGES = '/usr/lib/postgresql';
const OLDEST = 15;

/**
 * The programs of the newest server package of the distribution, or of the folder in `POSTGRES_PROGRAMS`; null if there
 * is none that the service supports.
 */
export function serverPrograms(): string | null {
  const given = process.env['POSTGRES_PROGRAMS'];
  if (given) return given;
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).map(Number) : [];
  const newest = Math.max(...versions.filter((version) => version >= OLDEST));
  return Number.isFinite(newest) ? join(PACKAGES, String(newest), 'bin') : null;
}

/** The account of the servers: Postgres and PgBouncer do not run as root. */
const ACCOUNT = unprivilegedAccount();

/** Creates a folder that the servers can write to. */
export function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shipgate-operate-'));
  if (ACCOUNT) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid);
  return folder;
}

/** The options to start the programs of servers. */
export const AS_SERVER = { ...ACCOUNT, cwd: '/', env: serverEnvironment() };

/** Runs commands in a shell as the account of the servers, with their programs. Throws with the errors that they print. */
export async function runInShell(commands: string): Promise<void> {
  const env = { ...AS_SERVER.env, PATH: `${serverPrograms() ?? ''}:${process.env['PATH'] ?? ''}` };
  await run('sh', ['-ec', commands], { ...AS_SERVER, env, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Does not block this process, because it also runs GitHub and the clients. */
async function run(program: string, options: readonly string[], settings: SpawnOptions): Promise<void> {
  const child = spawn(program, options, settings);
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${program} ${options[0] ?? ''} ended with ${String(status)}: ${output}`);
}

/** Sends a signal to all processes of the server with this data folder, if it runs. */
export function signalServer(data: string, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  const pidFile = join(data, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const [postmaster = ''] = readFileSync(pidFile, 'utf8').split('\n');
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', postmaster], { encoding: 'utf8' });
  for (const pid of [postmaster, ...stdout.split(/\s+/)].filter((text) => text !== '')) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // The process ended in the meantime.
    }
  }
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=60',
  'wal_level=replica',
  'hot_standby=on',
  'wal_receiver_status_interval=1s',
  'log_min_messages=warning',
];

/** A Postgres server of the distribution's package, as durable as one in production. */
export class PostgresServer {
  private settings: readonly string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly password: string,
    readonly port: number,
  ) {}

  static async start(...settings: readonly string[]): Promise<PostgresServer> {
    const server = new PostgresServer(serverFolder(), randomBytes(12).toString('hex'), await freePort());
    const passwordFile = join(server.folder, 'password');
    writeFileSync(passwordFile, server.password);
    if (ACCOUNT) chownSync(passwordFile, ACCOUNT.uid, ACCOUNT.gid);
    await server.run('initdb', '-D', server.data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`);
    appendFileSync(join(server.data, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
    await server.begin(...settings);
    return server;
  }

  /** Creates a standby of a running primary, with this name, on the given port or on a free one. */
  static async standbyOf(primary: PostgresServer, name: string, port?: number): Promise<PostgresServer> {
    const standby = new PostgresServer(serverFolder(), primary.password, port ?? (await freePort()));
    const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${primary.password} application_name=${name}`;
    await standby.run('pg_basebackup', '-D', standby.data, '-R', '-X', 'stream', '-c', 'fast', '-d', source);
    await standby.begin();
    return standby;
  }

  /** Starts a server with these settings and the data of another one, which `copy` puts into the given folder. */
  static async withDataOf(
    other: PostgresServer,
    settings: string,
    copy: (data: string) => Promise<void>,
  ): Promise<PostgresServer> {
    const server = new PostgresServer(serverFolder(), other.password, await freePort());
    await copy(server.data);
    server.configure(settings);
    await server.begin();
    return server;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  get superuserUrl(): string {
    return `postgres://postgres:${this.password}@127.0.0.1:${this.port}/shipgate`;
  }

  /** Creates the database of the service, with its roles and its schema. */
  async makeDatabase(): Promise<RoleUrls> {
    const urls = await createRoles(this.superuserUrl);
    await migrate(urls.migrationUrl);
    return urls;
  }

  /** Starts the server with settings, and resolves when it answers. */
  async begin(...settings: readonly string[]): Promise<void> {
    this.settings = settings;
    const options = [
      '-p',
      String(this.port),
      ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', `'${setting}'`]),
    ];
    await this.run(
      'pg_ctl',
      'start',
      '-D',
      this.data,
      '-w',
      '-s',
      '-l',
      join(this.folder, 'log'),
      '-o',
      options.join(' '),
    );
  }

  /** Appends lines to the configuration. A running server needs a restart. */
  configure(lines: string): void {
    appendFileSync(join(this.data, 'postgresql.conf'), lines);
  }

  async restart(): Promise<void> {
    await this.stop('fast');
    await this.begin(...this.settings);
  }

  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.run('pg_ctl', 'stop', '-D', this.data, '-w', '-s', '-m', mode);
  }

  async promote(): Promise<void> {
    await this.run('pg_ctl', 'promote', '-D', this.data, '-w', '-s');
  }

  /** Stops or continues all processes of the server, like a machine that hangs. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    signalServer(this.data, signal);
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** A folder for a tablespace of this server. */
  makeFolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    if (ACCOUNT) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid);
    return folder;
  }

  async remove(): Promise<void> {
    if (existsSync(join(this.data, 'postmaster.pid'))) {
      this.signal('SIGCONT');
      await this.stop('immediate');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(program: string, ...options: readonly string[]): Promise<void> {
    // The server would keep a pipe open.
    const stderr = program === 'pg_ctl' ? 'ignore' : 'pipe';
    await run(join(serverPrograms() ?? '', program), options, { ...AS_SERVER, stdio: ['ignore', 'ignore', stderr] });
  }
}
