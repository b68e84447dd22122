import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../faults/start-github.js';
import type { PgBouncer } from '../operate/pgbouncer.js';
import type { ServerPair } from './server-pair.js';
import type { ServiceProcesses } from './service-processes.js';

/** The parts that can fail. */
export interface Breakable {
  readonly processes: ServiceProcesses;
  readonly servers: ServerPair;
  /** Null if it is not installed. */
  readonly bouncer: PgBouncer | null;
  readonly host: Host;
}

interface Fault {
  readonly name: string;
  readonly happen: (parts: Breakable) => Promise<void>;
}

const HOUR_MS = 3_600_000;
const WRONG_CLOCK_MS = 12_000;
const HALT_MS = 8_000;
const GITHUB_AWAY_MS = 10_000;
/** More calls than the service makes during a fault. */
const MANY = 100_000;

/** The processes that are killed. The others run through all other faults, and their memory is measured. */
export const KILLED = new Set(['web-1', 'worker-1']);
const SPARED = ['web-2', 'worker-2'] as const;

async function failGitHub({ host }: Breakable, way: '5xx' | 'drop' | 'secondary-limit'): Promise<void> {
  const { faults } = host.github;
  if (way === 'secondary-limit') faults.next({ kind: way, retryAfterS: 5, times: MANY });
  else faults.next({ kind: way, times: MANY });
  await sleep(GITHUB_AWAY_MS);
  faults.clear();
}

const ofProcesses = (name: string, happen: (processes: ServiceProcesses) => Promise<void>): Fault => ({
  name,
  happen: ({ processes }) => happen(processes),
});

export const FAULTS: readonly Fault[] = [
  ...[...KILLED].flatMap((name) => [
    ofProcesses(`${name} is killed`, (processes) => processes.kill(name)),
    ofProcesses(`${name} is stopped and started`, (processes) => processes.stopAndStart(name)),
  ]),
  ofProcesses('web-1 and worker-1 are killed at once', async (processes) => {
    await Promise.all([...KILLED].map((name) => processes.kill(name)));
  }),
  ...SPARED.flatMap((name) => [
    ofProcesses(`${name} stands still`, (processes) => processes.halt(name, HALT_MS)),
    ofProcesses(`the clock of ${name} is an hour ahead`, (processes) =>
      processes.moveClock(name, HOUR_MS, WRONG_CLOCK_MS),
    ),
    ofProcesses(`the clock of ${name} is an hour behind`, (processes) =>
      processes.moveClock(name, -HOUR_MS, WRONG_CLOCK_MS),
    ),
  ]),
  {
    name: 'the primary is lost and the standby promoted',
    happen: ({ servers, bouncer }) => servers.failOver(() => bouncer?.follow(servers.port)),
  },
  { name: 'the primary restarts', happen: ({ servers }) => servers.restart() },
  { name: 'PgBouncer restarts', happen: async ({ bouncer }) => bouncer?.restart() },
  { name: 'GitHub answers 502', happen: (parts) => failGitHub(parts, '5xx') },
  { name: 'GitHub drops connections', happen: (parts) => failGitHub(parts, 'drop') },
  { name: 'GitHub asks for a pause', happen: (parts) => failGitHub(parts, 'secondary-limit') },
  {
    name: 'GitHub loses deliveries',
    happen: ({ host }) => {
      host.outbox.faults.next({ kind: 'drop', times: 5 });
      return Promise.resolve();
    },
  },
];
