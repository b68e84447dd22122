import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
export function identityOf(pid: number): string {
  return process.platform === 'linux' ? `${pid}-${linuxStat(pid)[19] ?? ''}` : `${pid}-`;
}

/** Whether the process that `identityOf` described still runs. */
export function isIdentityAlive(identity: string): boolean {
  const pid = Number(identity.split('-')[0]);
  return isAlive(pid) && identityOf(pid) === identity;
}

/** The words of a running process's command line; empty where they cannot be read. */
export function commandLineOf(pid: number): string {
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
