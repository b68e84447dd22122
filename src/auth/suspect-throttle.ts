import PQueue from 'p-queue';

/** The number of verifications at the same time for one address with failures. */
const CONCURRENCY = 2;

/**
 * Limits the concurrent work for each address with many failures. Other work of the address waits in order. Such an address
 * uses little processor time and few connections, and its valid requests still succeed.
 */
export class SuspectThrottle {
  readonly #queues = new Map<string, PQueue>();

  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.#queueOf(address).add(work);
  }

  #queueOf(address: string): PQueue {
    const known = this.#queues.get(address);
    if (known) return known;
    const queue = new PQueue({ concurrency: CONCURRENCY });
    queue.once('idle', () => this.#queues.delete(address));
    this.#queues.set(address, queue);
    return queue;
  }
}
