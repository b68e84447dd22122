import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns whether a process with this id runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' && readState(pid) !== 'Z';
  }
  return readState(pid) !== 'Z';
}

/** Returns the id and start time of a process, so that a later process with the same id is not mistaken for it. */
export function processIdentity(pid: number): string {
  return process.platform === 'linux' ? `${pid}-${linuxStat(pid)[19] ?? ''}` : `${pid}-`;
}

/** Returns whether the process of this identity still runs. */
export function isIdentityAlive(identity: string): boolean {
  const pid = Number(identity.split('-')[0]);
  return isAlive(pid) && processIdentity(pid) === identity;
}

/** Returns the command line of a running process. Empty if it cannot be read. */
export function processCommandLine(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  }
  return ps(pid, 'command=');
}

function readState(pid: number): string {
  if (process.platform === 'linux') return linuxStat(pid)[0] ?? 'Z';
  return process.platform === 'win32' ? '' : ps(pid, 'stat=').slice(0, 1);
}

/**
 * Returns the fields of /proc/<pid>/stat from the third on (proc_pid_stat(5)). The second may contain spaces and
 * parentheses.
 */
function linuxStat(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function ps(pid: number, column: string): string {
  return spawnSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}

/** A user of the operating system. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

// In this order: the account of a Postgres package, of Node's container images, of every system.
const UNPRIVILEGED = ['postgres', 'node', 'nobody'];
const DEFAULT_ACCOUNT: SystemAccount = { uid: 65534, gid: 65534 };

/** Returns the account for Postgres if this process is root, because Postgres does not run as root. Null otherwise. */
export function unprivilegedAccount(): SystemAccount | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = new Map<string, SystemAccount>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      accounts.set(name, { uid: Number(uid), gid: Number(gid) });
    }
  }
  const name = UNPRIVILEGED.find((candidate) => accounts.has(candidate));
  return (name === undefined ? undefined : accounts.get(name)) ?? DEFAULT_ACCOUNT;
}

/** Returns whether the mode bits allow the account to enter a folder and all folders above it. */
export function canAccess({ uid, gid }: SystemAccount, folder: string): boolean {
  const { uid: owner, gid: group, mode } = statSync(folder);
  const execute = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & execute) !== 0 && (parent === folder || canAccess({ uid, gid }, parent));
}

// The variables that the program loader and Windows need, and none of the service's own.
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP'];

/** Returns the environment of Postgres programs. The server outlives the service and must not have its secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const passed = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(passed), LC_ALL: 'C', TZ: 'UTC' };
}
