import { randomUUID } from 'node:crypto';
import type { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { DelayedDeliveries, HeldDelivery } from './delayed-deliveries.js';
import type { RandomOrder } from './random-order.js';

/** The likelihood that a waiting delivery is sent before the next change. */
const PROMPTNESS = 0.3;
/** The likelihood that a former delivery is sent again under a new GUID, with its outdated content. */
const GHOSTS = 0.2;
/** The number of the latest deliveries that may be sent again under a new GUID. */
const REMEMBERED = 20;

/**
 * Sends the deliveries of a repository in a random order, at random times between the changes, each delivery twice.
 * Without a random order it sends each delivery at once, once and in order.
 */
export class ShuffledDeliveries {
  private waiting: HeldDelivery[] = [];
  private created: HeldDelivery[] = [];

  constructor(
    private readonly repo: RepositoryScenario,
    private readonly deliveries: DelayedDeliveries,
    /** Null to send in order. */
    private readonly random: RandomOrder | null,
  ) {
    deliveries.hold(repo.repository.id);
  }

  /** Makes a change, and sends some of the waiting deliveries before the next one. */
  async after(happening: () => unknown): Promise<void> {
    happening();
    this.waiting.push(...this.deliveries.take(this.repo.repository.id));
    const { random } = this;
    if (random === null) {
      await this.bringAll();
      await this.repo.env.waitUntilIdle();
      return;
    }
    for (const delivery of random.shuffle(this.waiting).filter(() => random.happens(PROMPTNESS))) {
      await this.make(delivery);
      // Half of them keep waiting, and are sent a second time with the rest.
      if (random.happens(0.5)) this.waiting.splice(this.waiting.indexOf(delivery), 1);
    }
  }

  /** Sends every waiting delivery. Returns whether GitHub has created new ones since the last call. */
  async bringAll(): Promise<boolean> {
    const received = this.deliveries.take(this.repo.repository.id);
    const { random } = this;
    const due = [...this.waiting.splice(0), ...received];
    const ghosts = random ? this.created.filter(() => random.happens(GHOSTS)).map(anew) : [];
    for (const delivery of random ? random.shuffle([...due, ...due, ...ghosts]) : due) await this.make(delivery);
    return received.length > 0;
  }

  private async make(delivery: HeldDelivery): Promise<void> {
    this.created = [...this.created, delivery].slice(-REMEMBERED);
    await this.deliveries.deliver(delivery);
  }
}

const anew = (delivery: HeldDelivery): HeldDelivery => ({ ...delivery, guid: randomUUID() });

/** The changes that the service makes on GitHub cause deliveries too, which may cause further changes. */
const ECHOES_AT_MOST = 20;

/** Sends all deliveries of all repositories, until no new one is created. */
export async function bringAllOf(
  posts: readonly ShuffledDeliveries[],
  waitUntilIdle: () => Promise<void>,
): Promise<void> {
  for (let echoes = 0; echoes < ECHOES_AT_MOST; echoes += 1) {
    const received = await Promise.all(posts.map((post) => post.bringAll()));
    await waitUntilIdle();
    if (echoes > 0 && !received.includes(true)) return;
  }
  throw new Error('The service does not come to rest.');
}
