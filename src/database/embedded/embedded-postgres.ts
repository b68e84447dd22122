import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { locateBinaries } from './binaries.js';
import { ensureCluster, SUPERUSER, SYSTEM_FOLDER, type Cluster } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { unprivilegedAccount } from './os-processes.js';
import {
  removeStalePidFile,
  findPostmaster,
  lastLogLines,
  launchPostmaster,
  type PostmasterSettings,
  stopPostmaster,
} from './postmaster.js';
import { ServerUsers } from './server-users.js';

const POLL_MS = 10;
// Recovery after a power cut replays at most what two checkpoints lie apart.
const START_LIMIT_MS = 60_000;
const LAUNCHES = 4;
const RELAUNCH_PAUSE_MS = 250;

export interface EmbeddedPostgresOptions {
  /** The cluster is kept in `postgres` below it. */
  readonly folder: string;
  /** False for tests alone: nothing then survives a power cut. */
  readonly durable?: boolean;
  /** Ends the waiting for the server, which is left then; rejects. */
  readonly stopping?: AbortSignal | undefined;
}

/** A running Postgres server of our own, on a loopback port. */
export interface EmbeddedPostgres {
  readonly superuserUrl: string;
  /** True where the server already ran: a sibling's, or one that a killed process left behind. */
  readonly adopted: boolean;
  /** Leaves the server; the last user to leave it stops it. */
  stop(): Promise<void>;
}

/** Starts the server of a folder, or joins it where it already runs. The server survives this process's sudden end. */
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
    return { superuserUrl: urlOf(cluster, port), adopted, stop: () => (left ??= leave()) };
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

/** Waits for a live server, launching one where there is none: in a race the loser's ends at once, and it joins the winner's. */
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

const urlOf = ({ password }: Cluster, port: number): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
