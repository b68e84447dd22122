import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether a process of this number runs. One that ended and was never reaped does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' && stateOf(pid) !== 'Z';
  }
  return stateOf(pid) !== 'Z';
}

/** A process's number and start, so that a later process of the same number is not taken for it. */
export function processIdentity(pid: number): string {
  return process.platform === 'linux' ? `${pid}-${linuxStat(pid)[19] ?? ''}` : `${pid}-`;
}

/** Whether the process that `processIdentity` described still runs. */
export function isIdentityAlive(identity: string): boolean {
  const pid = Number(identity.split('-')[0]);
  return isAlive(pid) && processIdentity(pid) === identity;
}

/** The words of a running process's command line; empty where they cannot be read. */
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

function stateOf(pid: number): string {
  if (process.platform === 'linux') return linuxStat(pid)[0] ?? 'Z';
  return process.platform === 'win32' ? '' : ps(pid, 'stat=').slice(0, 1);
}

/** The fields of /proc/<pid>/stat from the third on (proc_pid_stat(5)): the second may itself hold spaces and parentheses. */
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

/** A user of the operating system, by its numbers. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

// In this order: a package's own account, the one of Node's container images, the one that every system has.
const UNPRIVILEGED = ['postgres', 'node', 'nobody'];
const NOBODY: SystemAccount = { uid: 65534, gid: 65534 };

/** The account that Postgres has to run as where this process is root, which Postgres refuses; null where it is not. */
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
  return (name === undefined ? undefined : accounts.get(name)) ?? NOBODY;
}

/** Whether the account may enter a folder by way of all folders above it, judged by their mode bits. */
export function canAccess({ uid, gid }: SystemAccount, folder: string): boolean {
  const { uid: owner, gid: group, mode } = statSync(folder);
  const execute = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & execute) !== 0 && (parent === folder || canAccess({ uid, gid }, parent));
}

// What the loader of programs, and Windows, need; nothing that is the service's own.
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP'];

/** The environment of Postgres programs: the server outlives the service and must not keep its secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const passed = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(passed), LC_ALL: 'C', TZ: 'UTC' };
}
