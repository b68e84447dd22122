import { setTimeout as sleep } from 'node:timers/promises';
import { SESSION_SECRET } from '../contract/built-service.js';
import { Balancer } from '../faults/balancer.js';
import { type EventReport, followEvents, reportEvents } from '../faults/event-ledger.js';
import type { CiClient } from '../faults/ci-client.js';
import { OPEN } from '../faults/open-release.js';
import { RandomOrder } from '../faults/random-order.js';
import { environmentOf } from '../faults/start-github.js';
import { PgBouncer, pgbouncerVersion } from '../operate/pgbouncer.js';
import { runCommand } from '../support/command-process.js';
import { freePort } from '../support/free-port.js';
import { type Breakable, FAULTS, KILLED } from './faults.js';
import { makeFolder, removeFolder, startHost, startLoad, withParts } from './parts.js';
import type { Comparison, RequestLedger } from './request-ledger.js';
import { Samples, type Series } from './samples.js';
import { ServerPair } from './server-pair.js';
import { ServiceProcesses } from './service-processes.js';

/** The result of a run: what was acknowledged, what the database contains, and how the processes behaved. */
export interface ChaosReport {
  readonly ledger: RequestLedger;
  readonly deliveries: number;
  readonly comparison: Comparison;
  readonly faults: ReadonlyMap<string, number>;
  /** One for each web process. */
  readonly events: readonly EventReport[];
  readonly deaths: readonly string[];
  readonly failedStarts: number;
  readonly exitCodes: readonly (number | null)[];
  /** Lines of the log with the level error. */
  readonly errors: readonly string[];
  readonly series: readonly Series[];
  readonly audit: string;
  readonly isAuditIntact: boolean;
  readonly recovery: Recovery;
}

/** Whether the gate of a release that may be deployed opened again by itself, with its last response. */
interface Recovery {
  readonly isOpen: boolean;
  readonly seconds: number;
  readonly answer: unknown;
}

export interface ChaosOptions {
  readonly minutes: number;
  /** Determines the order of the faults. */
  readonly seed: string;
  readonly print: (line: string) => void;
}

const SAMPLE_EVERY_MS = 10_000;
const LONGEST_PAUSE_MS = 5_000;
const PATIENCE_MS = 180_000;
const RECOVERY_POLL_MS = 1_000;

/** Lets parts fail under load for the given time, and then compares the database with the acknowledged requests. */
export function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  return withParts(async (remove) => {
    const folder = makeFolder();
    remove(() => removeFolder(folder));
    const servers = await ServerPair.start();
    remove(() => servers.remove());
    const bouncer =
      pgbouncerVersion() === null ? null : await PgBouncer.start(servers.leaderUrls, 'pool_mode = transaction');
    if (bouncer === null) options.print('PgBouncer is not installed. Every process connects to the servers.');
    else remove(() => bouncer.remove());

    const port = await freePort();
    const host = await startHost(port, remove);
    const webPorts = [await freePort(), await freePort()] as const;
    const balancer = await Balancer.start(port, webPorts);
    remove(() => balancer.stop());
    const { runtimeUrl, migrationUrl } = servers.urls;
    const shared = {
      ...environmentOf(host, { appUrl: runtimeUrl, ownerUrl: migrationUrl }, port),
      REDELIVERY_INTERVAL: '1m',
      DATABASE_POOL_SIZE: '6',
    };
    const pooled = bouncer && {
      DATABASE_URL: bouncer.through(servers.leaderUrls.runtimeUrl),
      DATABASE_DIRECT_URL: runtimeUrl,
    };
    const processes = await ServiceProcesses.start(folder, {
      'web-1': { ...shared, ...pooled, ROLE: 'web', PORT: String(webPorts[0]) },
      'web-2': { ...shared, ROLE: 'web', PORT: String(webPorts[1]) },
      'worker-1': { ...shared, ROLE: 'worker' },
      'worker-2': { ...shared, ...pooled, ROLE: 'worker' },
    });
    remove(() => processes.stop());

    const { ci, ledger, begin } = await startLoad(host, port, servers);
    const readers = [];
    for (const [at, webPort] of webPorts.entries())
      readers.push(await followEvents(host, `http://127.0.0.1:${webPort}`, servers, `reader-${at}`));
    const load = begin();
    const samples = new Samples(folder, KILLED);
    const faults = await breakParts({ processes, servers, bouncer, host }, samples, options);

    await host.outbox.waitUntilIdle();
    const recovery = await awaitRecovery(ci);
    await load.stop();
    await host.outbox.waitUntilIdle();
    const milestones = host.repository.milestones.list().map(({ title }) => title);
    const deliveries = host.acknowledged();
    const comparison = await ledger.compare(servers.superuserUrl, deliveries, milestones, PATIENCE_MS);
    const events: EventReport[] = [];
    for (const reader of readers) events.push(await reportEvents(reader, servers));
    const { status, stdout, stderr } = await runCommand('verify-audit', [], {
      DATABASE_URL: servers.leaderUrls.runtimeUrl,
      SESSION_SECRET,
      ENCRYPTION_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
    });
    const { deaths, failedStarts, exitCodes, warnings } = processes;
    return {
      ledger,
      deliveries: deliveries.size,
      comparison,
      faults,
      events,
      deaths,
      failedStarts,
      exitCodes,
      errors: warnings.filter((line) => line.includes('"level":"error"')),
      series: samples.list(),
      audit: `${stdout}${stderr}`.trim(),
      isAuditIntact: status === 0,
      recovery,
    };
  });
}

/**
 * Waits until the gate is open again, without a restart. After failures the service does not call GitHub for up to a
 * minute.
 */
async function awaitRecovery(ci: CiClient): Promise<Recovery> {
  const began = Date.now();
  for (;;) {
    const { status, body } = await ci.gate(OPEN, { explain: true });
    const [isOpen, passedMs] = [status === 200 && body['can_deploy'] === true, Date.now() - began];
    if (isOpen || passedMs > PATIENCE_MS) return { isOpen, seconds: Math.round(passedMs / 1_000), answer: body };
    await sleep(RECOVERY_POLL_MS);
  }
}

/** Causes one fault after the other until the time is over, in an order that the seed determines. */
async function breakParts(
  parts: Breakable,
  samples: Samples,
  { minutes, seed, print }: ChaosOptions,
): Promise<ReadonlyMap<string, number>> {
  const end = Date.now() + minutes * 60_000;
  const sampling = (async () => {
    for (; Date.now() < end; await sleep(SAMPLE_EVERY_MS)) {
      await samples.take(parts.processes.pids, parts.servers.superuserUrl);
      await parts.processes.restartEnded();
    }
  })();
  const happened = new Map<string, number>();
  const order = new RandomOrder(seed);
  let queue: (typeof FAULTS)[number][] = [];
  while (Date.now() < end) {
    if (queue.length === 0) queue = [...order.shuffle(FAULTS)];
    const fault = queue.shift();
    await sleep(Math.random() * LONGEST_PAUSE_MS);
    if (!fault) continue;
    const began = Date.now();
    await fault.happen(parts);
    happened.set(fault.name, (happened.get(fault.name) ?? 0) + 1);
    print(`${new Date(began).toISOString().slice(11, 19)} ${fault.name} (${Date.now() - began} ms)`);
  }
  await sampling;
  return happened;
}
