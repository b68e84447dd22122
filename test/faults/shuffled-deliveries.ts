import { randomUUID } from 'node:crypto';
import type { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { DelayedDeliveries, HeldDelivery } from './delayed-deliveries.js';
import type { RandomOrder } from './random-order.js';

/** How likely a delivery that waits is made before the next thing happens. */
const PROMPTNESS = 0.3;
/** How likely one that was made is told again as something new, as outdated as it is by then. */
const GHOSTS = 0.2;
/** Of how many it is thought again. */
const REMEMBERED = 20;

/**
 * Sends the deliveries of a repository in a random order, at random times between the changes there, each delivery
 * twice; or, as a measure, at once, once and in order.
 */
export class ShuffledDeliveries {
  private waiting: HeldDelivery[] = [];
  private created: HeldDelivery[] = [];

  constructor(
    private readonly repo: RepositoryScenario,
    private readonly deliveries: DelayedDeliveries,
    /** Null for the measure. */
    private readonly random: RandomOrder | null,
  ) {
    deliveries.hold(repo.repository.id);
  }

  /** Something happens, and before the next thing does some of what waits arrives. */
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
      // Half of them stay for their second time, and are made then together with the rest.
      if (random.happens(0.5)) this.waiting.splice(this.waiting.indexOf(delivery), 1);
    }
  }

  /** Makes every delivery that waits; answers whether anything was told since the last time. */
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

/** What the service does is told to it as well, and may make it do more. */
const ECHOES_AT_MOST = 20;

/** Makes all deliveries of all, until nothing is told any more. */
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
