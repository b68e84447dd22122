import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { DeliveryLedger } from './delivery-ledger.js';
import { ServiceWithoutInbox } from './service-without-inbox.js';
import { environmentOf, startGitHub, type Host } from './start-github.js';
import { performRandomActions } from './random-actions.js';

/** The result for deliveries whose receivers were killed repeatedly. */
export interface KillReport {
  /** Deliveries that were answered 202, each counted once. */
  readonly acknowledged: number;
  /** Acknowledged deliveries that were never processed. */
  readonly lost: number;
  /** The number of milestones with more than one release and of stage changes that were stored twice. */
  readonly doubled: number;
}

interface Victim {
  kill(): Promise<void>;
}

const LONGEST_LIFE_MS = 300;
const PATIENCE_MS = 150_000;
const POLL_MS = 5;

interface KillPlan {
  readonly victims: Victim[];
  readonly restart: (index: number) => Promise<Victim>;
  /** Resolves when the next victim must be killed. */
  readonly waitForKill: () => Promise<void>;
}

/** Performs random actions on GitHub while the victims are killed and restarted in turn. */
async function kill(host: Host, { victims, restart, waitForKill }: KillPlan, cycles: number) {
  host.github.installApp(host.app, host.organization);
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    performRandomActions(host, cycle);
    await waitForKill();
    const index = cycle % victims.length;
    await victims[index]?.kill();
    victims[index] = await restart(index);
  }
  await host.outbox.waitUntilIdle();
}

/** Kills the web process and the worker in turn, during a stream of deliveries that arrive twice and out of order. */
export async function killService(cycles: number): Promise<KillReport> {
  const [database, port] = [await createTestDatabase(), await freePort()];
  const host = await startGitHub(port);
  const shared = environmentOf(host, database, port);
  const roles = [{ ROLE: 'web', PORT: String(port) }, { ROLE: 'worker' }];
  const start = (index: number): Promise<BuiltService> => BuiltService.start({ ...shared, ...roles[index] });
  const services: Victim[] = await Promise.all([start(0), start(1)]);
  try {
    const waitForKill = (): Promise<void> => sleep(Math.random() * LONGEST_LIFE_MS);
    await kill(host, { victims: services, restart: start, waitForKill }, cycles);
    const acknowledged = host.acknowledged();
    const ledger = new DeliveryLedger(database.superuserUrl);
    const lost = await ledger.listLost(acknowledged, PATIENCE_MS);
    return { acknowledged: acknowledged.size, lost: lost.length, doubled: await ledger.countDoubled() };
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await host.outbox.stop();
    await host.github.stop();
    await database.drop();
  }
}

/**
 * The control: the same for a service that acknowledges a delivery before it processes it. It is killed after it has
 * acknowledged something and before that work is done, because at a random moment it would often lose nothing.
 */
export async function killWithoutInbox(cycles: number): Promise<KillReport> {
  const port = await freePort();
  const host = await startGitHub(port);
  const done = new Set<string>();
  const start = (): Promise<ServiceWithoutInbox> => ServiceWithoutInbox.start(port, done);
  const services: Victim[] = [await start()];
  let known = 0;
  const waitForKill = async (): Promise<void> => {
    while (host.acknowledged().size === known) await sleep(POLL_MS);
    known = host.acknowledged().size;
  };
  try {
    await kill(host, { victims: services, restart: start, waitForKill }, cycles);
    await sleep(ServiceWithoutInbox.workMs * 2);
    const acknowledged = host.acknowledged();
    return {
      acknowledged: acknowledged.size,
      lost: [...acknowledged].filter((guid) => !done.has(guid)).length,
      doubled: 0,
    };
  } finally {
    await services[0]?.kill();
    await host.outbox.stop();
    await host.github.stop();
  }
}
