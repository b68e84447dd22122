import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltService } from '../contract/built-service.js';
import { freePort } from '../support/free-port.js';
import { CiStream, type CiReport } from './ci-stream.js';
import { CrashingPostgres } from './crashing-postgres.js';
import { DeliveryLedger } from './delivery-ledger.js';
import { followEvents, reportEvents, type EventReport } from './event-ledger.js';
import { environmentOf, startGitHub } from './start-github.js';
import { givenReleases, untilOpen } from './open-release.js';
import { performRandomActions } from './random-actions.js';

/** The result for a service whose database crashed repeatedly. */
export interface RestartReport {
  readonly restarts: number;
  /** Deliveries that were answered 202, and those of them that were never processed. */
  readonly acknowledged: number;
  readonly lost: readonly object[];
  readonly doubled: number;
  readonly ci: CiReport;
  readonly events: EventReport;
  /** How processes ended without a signal of the test. */
  readonly deaths: readonly string[];
  /** The log lines of each process above the level info. */
  readonly warnings: readonly (readonly string[])[];
}

/** The longest pause between two crashes, and between a crash and the recovery. */
const PAUSE_MS = 600;
/** Longer than any wait of the service. */
const LONG_AWAY_MS = 8_000;
const PATIENCE_MS = 60_000;

/**
 * Crashes Postgres repeatedly during a stream of deliveries, uploads and gate requests, and then compares what is
 * stored.
 */
export async function restartPostgres(restarts: number): Promise<RestartReport> {
  const postgres = await CrashingPostgres.start();
  const port = await freePort();
  const host = await startGitHub(port);
  const services: BuiltService[] = [];
  try {
    const database = await postgres.makeDatabase();
    const variables = environmentOf(host, database, port);
    services.push(await BuiltService.start({ ...variables, ROLE: 'web', PORT: String(port) }));
    services.push(await BuiltService.start({ ...variables, ROLE: 'worker' }));
    const url = `http://127.0.0.1:${port}`;
    const ci = await givenReleases(host, url, database.superuserUrl);
    const reader = await followEvents(host, url, database, 'reader');

    let isAway = false;
    const stream = new CiStream(ci, () => isAway);
    for (let restart = 0; restart < restarts; restart += 1) {
      performRandomActions(host, restart);
      await sleep(Math.random() * PAUSE_MS);
      await postgres.crash();
      isAway = true;
      performRandomActions(host, restarts + restart);
      await sleep(restart % 10 === 9 ? LONG_AWAY_MS : Math.random() * PAUSE_MS);
      isAway = false;
      await postgres.recover();
    }
    await host.outbox.waitUntilIdle();
    // The gate, the workers and the event stream recover without a restart.
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
      events: await reportEvents(reader, database),
      deaths: services.flatMap(({ end }) => end ?? []),
      warnings: services.map(({ warnings }) => warnings),
    };
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await host.outbox.stop();
    await host.github.stop();
    await postgres.remove();
  }
}
