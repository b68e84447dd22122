/** The number of verifications at the same time for one address with failures. */
const CONCURRENCY = 2;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits the concurrent work for each address with many failures. Other work of the address waits in order. Such an address
 * uses little processor time and few connections, and its valid requests still succeed.
 */
export class SlowLane {
  readonly #lanes = new Map<string, Lane>();

  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(address) ?? { running: 0, waiting: [] };
    this.#lanes.set(address, lane);
    if (lane.running < CONCURRENCY) lane.running += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      // The next work takes over the place, so `running` does not change.
      if (next) next();
      else {
        lane.running -= 1;
        if (lane.running === 0) this.#lanes.delete(address);
      }
    }
  }
}
