import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity, isIdentityAlive, unprivilegedAccount } from './os-processes.js';
import { locateBinaries } from './binaries.js';
import { ensureCluster, SUPERUSER, SYSTEM_FOLDER, type Cluster } from './cluster.js';
import { EmbeddedPostgresError } from '../database-setup.error.js';
import {
  removeStalePidFile,
  findPostmaster,
  lastLogLines,
  launchPostmaster,
  type PostmasterSettings,
  stopPostmaster,
} from './postmaster.js';

const POLL_MS = 10;
const USERS_POLL_MS = 20;
// Recovery after a power failure replays at most the time between two checkpoints.
const START_LIMIT_MS = 60_000;
const LAUNCHES = 4;
const RELAUNCH_PAUSE_MS = 250;

interface EmbeddedPostgresOptions {
  /** The folder that contains the cluster in `postgres`. */
  readonly folder: string;
  /** False only for tests: data does not survive a power failure. */
  readonly durable?: boolean;
  /** Stops the wait for the server and leaves it. The call then rejects. */
  readonly stopping?: AbortSignal | undefined;
}

/** A running embedded Postgres server on a loopback port. */
export interface EmbeddedPostgres {
  readonly superuserUrl: string;
  /** True if the server was already running: started by another process, or left by a killed one. */
  readonly adopted: boolean;
  /** Leaves the server. The last user to leave stops it. */
  stop(): Promise<void>;
}

/** Starts the server of a folder, or joins it if it is running. The server survives a crash of this process. */
export async function startEmbeddedPostgres({
  folder,
  durable = true,
  stopping,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = unprivilegedAccount();
  const binaries = locateBinaries(account, account === null ? resolve(folder) : SYSTEM_FOLDER);
  const cluster = await ensureCluster(folder, binaries, account, durable);
  const attachments = new ServerUsers(cluster.home);
  const settings: PostmasterSettings = { cluster, binaries, account, durable };
  await attachments.register();
  const leave = (): Promise<void> => attachments.unregister(() => stopPostmaster(settings));
  try {
    const { port, adopted } = await reachPostmaster(settings, stopping);
    let left: Promise<void> | undefined;
    return { superuserUrl: superuserUrl(cluster, port), adopted, stop: () => (left ??= leave()) };
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

/**
 * Waits for a running server and launches one if there is none. If two processes race, the second server ends at once
 * and its process joins the first.
 */
async function reachPostmaster(
  settings: PostmasterSettings,
  stopping: AbortSignal | undefined,
): Promise<{ port: number; adopted: boolean }> {
  const { data, home } = settings.cluster;
  const deadline = performance.now() + START_LIMIT_MS;
  let launches = 0;
  let ended = true;
  let own: number | undefined;
  while (performance.now() < deadline) {
    stopping?.throwIfAborted();
    const running = findPostmaster(data);
    if (running?.ready) return { port: running.port, adopted: running.pid !== own };
    if (running === null && ended) {
      if (launches === LAUNCHES) break;
      if (launches > 0) await sleep(RELAUNCH_PAUSE_MS);
      launches += 1;
      removeStalePidFile(data);
      const child = await launchPostmaster(settings);
      own = child.pid;
      ended = false;
      child.once('exit', () => (ended = true));
    }
    await sleep(POLL_MS);
  }
  throw new EmbeddedPostgresError(
    `The embedded Postgres in ${home} does not start. It said last:\n${lastLogLines(home)}`,
  );
}

const superuserUrl = ({ password }: Cluster, port: number): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;

/**
 * The users of one embedded server. The last one to leave stops it.
 *
 * A join and a leave may coincide. A joining process first writes its name and then checks for leaving processes. A leaving
 * process first announces its leave and then checks for names. So at least one of the two sees the other.
 */
class ServerUsers {
  readonly #attached: string;
  readonly #leaving: string;
  readonly #name = `${processIdentity(process.pid)}.${randomUUID()}`;

  constructor(home: string) {
    this.#attached = join(home, 'attached');
    this.#leaving = join(home, 'leaving');
  }

  /** Registers this user. Resolves when no other user is about to stop the server. */
  async register(): Promise<void> {
    mkdirSync(this.#attached, { recursive: true, mode: 0o700 });
    mkdirSync(this.#leaving, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#attached, this.#name), '');
    while (liveNames(this.#leaving).length > 0) await sleep(USERS_POLL_MS);
  }

  /** Removes this user. If it was the last one, runs `stop` while joining processes wait. */
  async unregister(stop: () => Promise<void>): Promise<void> {
    writeFileSync(join(this.#leaving, this.#name), '');
    try {
      rmSync(join(this.#attached, this.#name), { force: true });
      if (liveNames(this.#attached).length === 0) await stop();
    } finally {
      rmSync(join(this.#leaving, this.#name), { force: true });
    }
  }
}

/** Returns the names of running processes in a folder and removes those of killed processes. */
function liveNames(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const alive = isIdentityAlive(name.split('.')[0] ?? '');
    if (!alive) rmSync(join(folder, name), { force: true });
    return alive;
  });
}
