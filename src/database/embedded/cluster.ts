import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from '../database-setup.error.js';
import { processIdentity, isIdentityAlive, canAccess, serverEnvironment, type SystemAccount } from './os-processes.js';

/** The name of the superuser of every embedded cluster. */
export const SUPERUSER = 'postgres';

/** The folder for clusters and program copies when root starts the service and the Postgres account cannot enter the chosen folder. */
export const SYSTEM_FOLDER = '/var/lib/shipgate';

const STAGING = 'initializing-';

/** An initialized database cluster with the superuser's password. */
export interface Cluster {
  readonly home: string;
  readonly data: string;
  readonly password: string;
}

/**
 * Returns the cluster of `<folder>/postgres` and initializes it if it does not exist. The name appears only after the
 * cluster is complete, so an interrupted start leaves no partial cluster, and of two concurrent starts one wins.
 */
export async function ensureCluster(
  folder: string,
  binaries: PostgresBinaries,
  account: SystemAccount | null,
  durable: boolean,
): Promise<Cluster> {
  const parent = prepareFolder(folder);
  const home = join(parent, 'postgres');
  if (!existsSync(home)) {
    const staging = createStagingFolder(parent, account);
    try {
      await initialize(staging, binaries, account, durable);
      publish(staging, home);
    } catch (error) {
      rmSync(staging, { recursive: true, force: true });
      throw error;
    }
  }
  return openCluster(home);
}

function openCluster(link: string): Cluster {
  const home = realpathSync(link);
  try {
    return { home, data: join(home, 'data'), password: readFileSync(join(home, 'superuser.secret'), 'utf8') };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded database in ${home} cannot be read by this user. Start the service as the user who made it, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

function prepareFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return realpathSync(folder);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `DATA_DIR (${resolve(folder)}) cannot be made: ${(cause as Error).message}. Set DATA_DIR to a folder that this user may write to.`,
      { cause },
    );
  }
}

/** Creates a folder that the account can reach, on the file system of the final cluster. */
function createStagingFolder(folder: string, account: SystemAccount | null): string {
  const reachable = account === null || ensureAccess(account, folder);
  const parent = reachable ? folder : SYSTEM_FOLDER;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o755 });
    if (reachable) removeIncompleteClusters(folder);
    const staging = mkdtempSync(join(parent, reachable ? `${STAGING}${processIdentity(process.pid)}.` : 'postgres-'));
    if (account !== null) chownSync(staging, account.uid, account.gid);
    return staging;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded database cannot be made in ${parent}: ${(cause as Error).message}. Set DATA_DIR to a folder that this user may write to.`,
      { cause },
    );
  }
}

/**
 * Returns whether the account can enter the folder. If only the folder itself prevents it, the folder is opened for
 * traversal, not for reading.
 */
function ensureAccess(account: SystemAccount, folder: string): boolean {
  if (!canAccess(account, dirname(folder))) return false;
  if (!canAccess(account, folder)) chmodSync(folder, statSync(folder).mode | 0o011);
  return true;
}

/** Removes incomplete clusters of killed processes. */
function removeIncompleteClusters(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(STAGING) || isIdentityAlive(name.slice(STAGING.length).split('.')[0] ?? '')) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // An initdb is still writing to the folder. The next start that initializes a cluster tries again.
    }
  }
}

async function initialize(
  home: string,
  { initdb }: PostgresBinaries,
  account: SystemAccount | null,
  durable: boolean,
): Promise<void> {
  const secret = join(home, 'superuser.secret');
  writeFileSync(secret, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (account !== null) chownSync(secret, account.uid, account.gid);
  const options = [
    '-D',
    join(home, 'data'),
    `--username=${SUPERUSER}`,
    `--pwfile=${secret}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same sort order on every machine, independent of its locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ];
  const child = spawn(initdb, options, {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const ending = await new Promise<string | null>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) => done(code === 0 ? null : `initdb ended with ${String(code ?? signal)}`));
  });
  if (ending !== null)
    throw new EmbeddedPostgresError(`The embedded database cannot be made: ${ending}. ${errorOutput}`);
}

/** Gives the cluster its name. If another process was first, its cluster is used and this one is deleted. */
function publish(staging: string, home: string): void {
  try {
    if (join(staging, '..') === join(home, '..')) renameSync(staging, home);
    else symlinkSync(staging, home);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    if (!existsSync(home)) throw error;
    rmSync(staging, { recursive: true, force: true });
  }
}
