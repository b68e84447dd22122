import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError } from '../database-setup.error.js';
import { processCommandLine, isAlive, serverEnvironment, type SystemAccount } from './os-processes.js';

const LOG_LIMIT_BYTES = 10_000_000;
const STOP_LIMIT_SECONDS = 30;

export interface PostmasterSettings {
  readonly cluster: Cluster;
  readonly binaries: PostgresBinaries;
  readonly account: SystemAccount | null;
  readonly durable: boolean;
}

/** Launches a server on a free loopback port. It becomes ready, or exits, later. */
export async function launchPostmaster({
  cluster,
  binaries,
  account,
  durable,
}: PostmasterSettings): Promise<ChildProcess> {
  const port = await freePort();
  const log = openLog(cluster.home);
  try {
    const child = spawn(
      binaries.postgres,
      ['-D', cluster.data, '-p', String(port), ...serverSettings(durable).flatMap((setting) => ['-c', setting])],
      {
        ...account,
        cwd: '/',
        // Its own session: Ctrl-C reaches only the service, which stops the database last.
        detached: process.platform !== 'win32',
        stdio: ['ignore', log, log],
        env: serverEnvironment(),
        windowsHide: true,
      },
    );
    await new Promise<void>((done, fail) => child.once('spawn', done).once('error', fail));
    child.unref();
    return child;
  } catch (cause) {
    throw new EmbeddedPostgresError(`The embedded Postgres cannot be launched: ${(cause as Error).message}.`, {
      cause,
    });
  } finally {
    closeSync(log);
  }
}

/** Stops the server and resolves after it has ended. Open connections are closed and their transactions rolled back. */
export async function stopPostmaster({ cluster, binaries, account }: PostmasterSettings): Promise<void> {
  const options = ['stop', '-D', cluster.data, '-m', 'fast', '-w', '-t', String(STOP_LIMIT_SECONDS), '-s'];
  const child = spawn(binaries.pgCtl, options, {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
    stdio: 'ignore',
    windowsHide: true,
  });
  // A failure means that no server was running.
  await new Promise<void>((done) => child.once('error', () => done()).once('exit', () => done()));
}

/** Returns the last log lines of the server for an error message. */
export function lastLogLines(home: string): string {
  return readFileSync(logFile(home), 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

function serverSettings(durable: boolean): readonly string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    'max_connections=100',
    // The log then contains errors but no values of statements.
    'log_min_messages=warning',
    'log_min_error_statement=panic',
  ];
  return durable
    ? settings
    : [...settings, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];
}

const logFile = (home: string): string => join(home, 'postgres.log');

function openLog(home: string): number {
  const size = statSync(logFile(home), { throwIfNoEntry: false })?.size ?? 0;
  return openSync(logFile(home), size > LOG_LIMIT_BYTES ? 'w' : 'a', 0o600);
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

/** The content of `postmaster.pid` (PostgreSQL documentation, "Database File Layout"). */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Returns the running server of a data folder. Null if there is none, even if a stale file exists. */
export function findPostmaster(data: string): PostmasterFile | null {
  const content = readPidFile(data);
  if (content === null) return null;
  const lines = content.split('\n');
  const pid = Number(lines[0]);
  if (!isPostmasterOf(pid, data)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * Removes a `postmaster.pid` whose process id now belongs to a zombie or an unrelated process. Postgres would take it
 * for a running server and not start. If the process no longer exists, Postgres removes the file itself.
 */
export function removeStalePidFile(data: string): void {
  const checked = readPidFile(data);
  if (checked === null || isPostmasterOf(Number(checked.split('\n')[0]), data)) return;
  const aside = join(data, `postmaster.pid.${process.pid}`);
  try {
    renameSync(pidFile(data), aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    // Another server may have written a new file in the meantime. Then that file is restored.
    if (readFileSync(aside, 'utf8') !== checked) linkSync(aside, pidFile(data));
  } finally {
    rmSync(aside, { force: true });
  }
}

const pidFile = (data: string): string => join(data, 'postmaster.pid');

function readPidFile(data: string): string | null {
  try {
    return readFileSync(pidFile(data), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isPostmasterOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  // Windows has no command line without extra tools. There the server's own check of the file must suffice.
  return process.platform === 'win32' || `${processCommandLine(pid)} `.includes(`-D ${data} `);
}
