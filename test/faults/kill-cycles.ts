import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { DeliveryLedger } from './delivery-ledger.js';
import { ServiceWithoutInbox } from './service-without-inbox.js';
import { environmentOf, startGitHub, type Host } from './start-github.js';
import { performRandomActions } from './random-actions.js';

/** What became of deliveries whose receivers were killed again and again. */
export interface KillReport {
  /** Answered 202, each counted once. */
  readonly acknowledged: number;
  /** Of those, what was never done. */
  readonly lost: number;
  /** Milestones with more than one release, and changes of stage that were written down twice. */
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
  /** Resolves when the next victim is to be killed. */
  readonly waitForKill: () => Promise<void>;
}

/** Lets things happen while one of the victims is killed and begun again, in turn. */
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

/** Kills the web process and the worker in turn, under a stream of deliveries that come twice and out of order. */
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
 * The control: the same for a service that acknowledges first and then does what the delivery says. It is killed once it
 * has acknowledged something, while that work is still to be done: a moment left to chance would often lose nothing.
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
