import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, isAlive } from './process-identity.js';

/** What a server says of itself in `postmaster.pid` (PostgreSQL documentation, "Database File Layout"). */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The live server of a data folder; null where there is none, whatever a file left behind may say. */
export function findPostmaster(data: string): PostmasterFile | null {
  const content = readPidFile(data);
  if (content === null) return null;
  const lines = content.split('\n');
  const pid = Number(lines[0]);
  if (!isPostmasterOf(pid, data)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * Removes a `postmaster.pid` whose number now belongs to a zombie or to a stranger: Postgres would take either for a
 * live server and refuse to start. The file of a process that is gone is left for Postgres, which removes it itself.
 */
export function clearMisleadingPidFile(data: string): void {
  const judged = readPidFile(data);
  if (judged === null || isPostmasterOf(Number(judged.split('\n')[0]), data)) return;
  const aside = join(data, `postmaster.pid.${process.pid}`);
  try {
    renameSync(pidFile(data), aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    // A sibling's server may have written a file of its own since this one was judged: then that goes back.
    if (readFileSync(aside, 'utf8') !== judged) linkSync(aside, pidFile(data));
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
  // Windows tells no command line without further tools; there the server's own check of the file must do.
  return process.platform === 'win32' || `${commandLineOf(pid)} `.includes(`-D ${data} `);
}
