import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { Balancer } from './balancer.js';
import { CiStream, type CiReport } from './ci-stream.js';
import { DeliveryLedger } from './delivery-ledger.js';
import { followEvents, reportEvents, type EventReport } from './event-ledger.js';
import { environmentOf, startGitHub } from './start-github.js';
import { givenReleases, untilOpen } from './open-release.js';
import { ScheduleWatch, type ScheduleReport } from './schedule-watch.js';
import { performRandomActions } from './random-actions.js';

/** The result for processes that were stopped repeatedly while others continued. */
export interface ProcessReport extends ScheduleReport {
  readonly restarts: number;
  /** Deliveries that were answered 202, and those of them that were never processed. */
  readonly acknowledged: number;
  readonly lost: readonly object[];
  readonly doubled: number;
  readonly ci: CiReport;
  /** Requests that a process accepted and then did not answer. */
  readonly cut: readonly string[];
  /** One report for each process that serves. */
  readonly events: readonly EventReport[];
  /** The exit codes of the stopped processes, and the longest time that a stop took. */
  readonly exitCodes: readonly (number | null)[];
  readonly longestExitMs: number;
}

const PAUSE_MS = 300;
const PATIENCE_MS = 60_000;

/** Restarts two processes that serve and two that run jobs, in turn, on one database and under load. */
export async function restartProcesses(restarts: number): Promise<ProcessReport> {
  const [database, port] = [await createTestDatabase(), await freePort()];
  const webPorts = [await freePort(), await freePort()];
  const schedules = new ScheduleWatch();
  const host = await startGitHub(port, (exchange) => schedules.see(exchange));
  const balancer = await Balancer.start(port, webPorts);
  const shared = { ...environmentOf(host, database, port), REDELIVERY_INTERVAL: '1m' };
  const roles = [
    ...webPorts.map((webPort) => ({ ROLE: 'web', PORT: String(webPort) })),
    { ROLE: 'worker' },
    { ROLE: 'worker' },
  ];
  const start = (index: number): Promise<BuiltService> => BuiltService.start({ ...shared, ...roles[index] });
  const services: BuiltService[] = [];
  const exitCodes: (number | null)[] = [];
  let longestExitMs = 0;
  try {
    await schedules.missAMinute(database.superuserUrl);
    services.push(...(await Promise.all(roles.map((_, index) => start(index)))));
    const ci = await givenReleases(host, `http://127.0.0.1:${port}`, database.superuserUrl);
    const readers = await Promise.all(
      webPorts.map((webPort, index) => followEvents(host, `http://127.0.0.1:${webPort}`, database, `reader-${index}`)),
    );
    const stream = new CiStream(ci);
    for (let restart = 0; restart < restarts; restart += 1) {
      performRandomActions(host, restart);
      await sleep(Math.random() * PAUSE_MS);
      const index = restart % roles.length;
      const callsBefore = performance.now();
      exitCodes.push((await services[index]?.stop()) ?? null);
      longestExitMs = Math.max(longestExitMs, performance.now() - callsBefore);
      services[index] = await start(index);
    }
    await host.outbox.waitUntilIdle();
    await untilOpen(ci);
    const acknowledged = host.acknowledged();
    const ledger = new DeliveryLedger(database.superuserUrl);
    const lost = await ledger.listLost(acknowledged, PATIENCE_MS);
    return {
      restarts,
      acknowledged: acknowledged.size,
      lost,
      doubled: await ledger.countDoubled(),
      ci: await stream.stop(database.superuserUrl),
      events: await Promise.all(readers.map((reader) => reportEvents(reader, database))),
      ...(await schedules.report(database.superuserUrl)),
      cut: balancer.cut,
      exitCodes,
      longestExitMs: Math.round(longestExitMs),
    };
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await host.outbox.stop();
    await balancer.stop();
    await host.github.stop();
    await database.drop();
  }
}
