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
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { processIdentity, isIdentityAlive, canAccess, serverEnvironment, type SystemAccount } from './os-processes.js';

/** The name of the superuser of every embedded cluster. */
export const SUPERUSER = 'postgres';

/** Where root's clusters and copies lie when the account that Postgres runs as cannot enter the chosen folder. */
export const SYSTEM_FOLDER = '/var/lib/shipgate';

const STAGING = 'initializing-';

/** One initialized database cluster: its files, and the superuser's password beside them. */
export interface Cluster {
  readonly home: string;
  readonly data: string;
  readonly password: string;
}

/**
 * The cluster of `<folder>/postgres`, initialized if it is not there yet. It appears under its name whole or not at all, so an
 * interrupted start leaves nothing that the next one could mistake for a cluster, and of two at once one wins.
 */
export async function ensureCluster(
  folder: string,
  binaries: PostgresBinaries,
  account: SystemAccount | null,
  durable: boolean,
): Promise<Cluster> {
  const parent = preparedFolder(folder);
  const home = join(parent, 'postgres');
  if (!existsSync(home)) {
    const staging = stagingFolder(parent, account);
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

function preparedFolder(folder: string): string {
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

/** A folder that the account can reach, on the file system that the cluster will stay on. */
function stagingFolder(folder: string, account: SystemAccount | null): string {
  const reachable = account === null || letIn(account, folder);
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

/** Whether the account gets into the folder, after opening the folder itself for passing through: not for reading. */
function letIn(account: SystemAccount, folder: string): boolean {
  if (!canAccess(account, dirname(folder))) return false;
  if (!canAccess(account, folder)) chmodSync(folder, statSync(folder).mode | 0o011);
  return true;
}

/** Removes what processes that were killed in the middle left behind. */
function removeIncompleteClusters(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(STAGING) || isIdentityAlive(name.slice(STAGING.length).split('.')[0] ?? '')) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Its initdb is still writing; the next start that initializes sweeps again.
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
    // The same order of text on every machine, whatever its own locales are.
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
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const ending = await new Promise<string | null>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) => done(code === 0 ? null : `initdb ended with ${String(code ?? signal)}`));
  });
  if (ending !== null) throw new EmbeddedPostgresError(`The embedded database cannot be made: ${ending}. ${complaint}`);
}

/** Gives the cluster its name; where a sibling's came first, that one stands and this one goes. */
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
