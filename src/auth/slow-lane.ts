/** How much is judged at once of one address whose credentials fail. */
const AT_ONCE = 2;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Does little at once for each of the addresses that cause much work for nothing, and the rest in the order in which it came:
 * they can take no more of the processor and the database than that, and what is good among it is still done.
 */
export class SlowLane {
  readonly #lanes = new Map<string, Lane>();

  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(address) ?? { running: 0, waiting: [] };
    this.#lanes.set(address, lane);
    if (lane.running < AT_ONCE) lane.running += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      // Whoever is next takes the place over.
      if (next) next();
      else {
        lane.running -= 1;
        if (lane.running === 0) this.#lanes.delete(address);
      }
    }
  }
}
