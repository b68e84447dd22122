import { setTimeout as sleep } from 'node:timers/promises';
import { checkDurability } from '../../src/cli/doctor/database-server-check.js';
import { Database } from '../../src/database/database.js';
import { BuiltService } from '../contract/built-service.js';
import { Balancer } from '../faults/balancer.js';
import type { CiClient } from '../faults/ci-client.js';
import { CiStream, type CiReport } from '../faults/ci-stream.js';
import { DeliveryLedger } from '../faults/delivery-ledger.js';
import { followEvents, reportEvents, type EventReport } from '../faults/event-ledger.js';
import { CLOSED, givenReleases, untilOpen } from '../faults/open-release.js';
import { performRandomActions } from '../faults/random-actions.js';
import type { ReconnectingEventReader } from '../faults/reconnecting-event-reader.js';
import { environmentOf, startGitHub, type Host } from '../faults/start-github.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';

/** The result for the acknowledged requests. */
export interface LoadReport {
  readonly acknowledged: number;
  readonly lost: readonly object[];
  readonly doubled: number;
  readonly ci: CiReport;
  readonly events: EventReport;
  /** How processes ended without a signal of the test. */
  readonly deaths: readonly string[];
}

type Urls = Pick<TestDatabase, 'appUrl' | 'ownerUrl' | 'superuserUrl'>;

/** Four processes, with the connections of a test, must fit into `max_connections` of the servers. */
const POOL_SIZE = '10';
const PATIENCE_MS = 60_000;
/** The service must work again at most this long after the database accepts writes. */
const RECOVERY_MS = 30_000;

/** Two web processes behind a balancer and two workers, during a stream of deliveries, uploads and gate requests. */
export class ServiceUnderLoad {
  /** Whether the database is unavailable at the moment. */
  isAway = false;
  private readonly stream: CiStream;
  private actions = 0;

  private constructor(
    private readonly host: Host,
    private readonly services: readonly BuiltService[],
    private readonly balancer: Balancer,
    private readonly webUrls: readonly string[],
    private readonly ci: CiClient,
    private readonly reader: ReconnectingEventReader,
  ) {
    this.stream = new CiStream(ci, () => this.isAway);
  }

  static async start(urls: Urls, more: Readonly<Record<string, string>> = {}): Promise<ServiceUnderLoad> {
    const [port, ...webPorts] = [await freePort(), await freePort(), await freePort()];
    const balancer = await Balancer.start(port, webPorts);
    const host = await startGitHub(port);
    const services: BuiltService[] = [];
    try {
      const variables = { ...environmentOf(host, urls, port), DATABASE_POOL_SIZE: POOL_SIZE, ...more };
      for (const webPort of webPorts)
        services.push(await BuiltService.start({ ...variables, ROLE: 'web', PORT: String(webPort) }));
      for (let worker = 0; worker < 2; worker += 1)
        services.push(await BuiltService.start({ ...variables, ROLE: 'worker' }));
      const ci = await givenReleases(host, `http://127.0.0.1:${port}`, urls.superuserUrl);
      const webUrls = webPorts.map((webPort) => `http://127.0.0.1:${webPort}`);
      const reader = await followEvents(host, webUrls[0] ?? '', urls, 'reader');
      return new ServiceUnderLoad(host, services, balancer, webUrls, ci, reader);
    } catch (error) {
      await stopAll(host, services, balancer);
      throw error;
    }
  }

  /** Runs the load for a while, with random actions on GitHub. */
  async runFor(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      performRandomActions(this.host, this.actions++);
      await sleep(1_000);
    }
  }

  /** Waits until an upload is acknowledged, the gate is open, and both web processes are ready, without a restart. */
  async untilServing(): Promise<void> {
    const deadline = Date.now() + RECOVERY_MS;
    for (;;) {
      const { status } = await this.ci.upload(
        CLOSED,
        `recovered-${this.actions}`,
        { failed: 0 },
        `${this.actions}-once`,
      );
      const states = await this.readStates();
      if (status < 300 && status !== 0 && states.every((state) => state === 'ready')) break;
      if (Date.now() > deadline) throw new Error(`It does not serve again: ${status}, ${states.join(', ')}`);
      await sleep(100);
    }
    this.actions += 1;
    await untilOpen(this.ci);
  }

  /** Waits until the readiness of both web processes contains the reason. */
  async untilNotReady(reason: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const states = await this.readStates();
      if (states.every((state) => state.includes(reason))) return;
      if (Date.now() > deadline) throw new Error(`They say "${states.join('", "')}" and not "${reason}".`);
      await sleep(100);
    }
  }

  /** Uploads once, and returns the status and the header `Retry-After`. */
  async upload(): Promise<readonly [number, string | undefined]> {
    const { status, retryAfter } = await this.ci.upload(CLOSED, 'single', { failed: 0 }, `single-${this.actions++}`);
    return [status, retryAfter];
  }

  /** Asks all processes to end. Returns their exit codes, and their log above the level info. */
  async stop(): Promise<{ readonly exitCodes: readonly (number | null)[]; readonly warnings: readonly string[] }> {
    const exitCodes = await Promise.all(this.services.map((service) => service.stop()));
    return { exitCodes, warnings: this.services.flatMap(({ warnings }) => warnings) };
  }

  /** Ends the load, and compares what is stored. */
  async report(urls: Pick<Urls, 'superuserUrl'>): Promise<LoadReport> {
    await this.host.outbox.waitUntilIdle();
    const acknowledged = this.host.acknowledged();
    const ledger = new DeliveryLedger(urls.superuserUrl);
    const lost = await ledger.listLost(acknowledged, PATIENCE_MS);
    return {
      acknowledged: acknowledged.size,
      lost,
      doubled: await ledger.countDoubled(),
      ci: await this.stream.stop(urls.superuserUrl),
      events: await reportEvents(this.reader, urls),
      deaths: this.services.flatMap(({ end }) => end ?? []),
    };
  }

  async remove(): Promise<void> {
    await stopAll(this.host, this.services, this.balancer);
  }

  /** The readiness of each web process: `ready`, or why it is not. */
  private async readStates(): Promise<readonly string[]> {
    return Promise.all(
      this.webUrls.map(async (url) => {
        const response = await fetch(`${url}/api/health/ready`).catch(() => null);
        if (response === null) return 'no answer';
        const { status, error } = (await response.json()) as { status?: string; error?: string };
        return status ?? error ?? '';
      }),
    );
  }
}

async function stopAll(host: Host, services: readonly BuiltService[], balancer: Balancer): Promise<void> {
  await Promise.all(services.map((service) => service.kill()));
  await balancer.stop();
  await host.outbox.stop();
  await host.github.stop();
}

/** Returns the status of the doctor's check whether the primary may lose acknowledged writes. */
export async function durabilityOf(url: string): Promise<string | undefined> {
  const database = await Database.open({ url, poolSize: 1 });
  const [result] = await checkDurability(database);
  await database.close();
  return result?.status;
}

/** The expected report of every test. */
export const NOTHING_LOST = {
  lost: [],
  doubled: 0,
  events: { missed: 0, doubled: 0 },
  deaths: [],
  ci: { uploadsLost: 0, uploadsDoubled: 0, wrong: [] },
} as const;
