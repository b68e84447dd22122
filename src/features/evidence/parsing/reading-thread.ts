import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { blocksOfOrder, type ThreadOrder, type ThreadResult } from './thread-order.js';
import type { ThreadSource } from './thread-source.js';

/**
 * More than reading the largest upload takes, so that only a report made to harm ends its thread, and no process. What is
 * new is nearly all forgotten at once: with half of the usual room for it there is as little to keep, and less held.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 24 };
const READING_MS = 60_000;

/** A thread that reads one upload at a time. It keeps no process alive. */
export class ReadingThread {
  private readonly worker: Worker;
  private alive = true;

  constructor({ url, execArgv }: ThreadSource) {
    this.worker = new Worker(url, { execArgv: [...execArgv], resourceLimits: RESOURCE_LIMITS });
    this.worker.unref();
    this.worker.once('exit', () => (this.alive = false));
    // Told to whoever waits for an answer; without a listener it would end the process.
    this.worker.on('error', () => undefined);
  }

  /** A thread may die while nobody waits for it, of what it held too long. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Rejects where the thread died of the order, or has not done it in a minute: then it is good for nothing more. */
  async read<Order extends ThreadOrder>(order: Order): Promise<ThreadResult<Order>> {
    const patience = AbortSignal.timeout(READING_MS);
    const ended = new AbortController();
    const signal = AbortSignal.any([patience, ended.signal]);
    const exit = (): void => ended.abort(new Error('the thread ended'));
    this.worker.once('exit', exit);
    try {
      this.worker.postMessage(
        order,
        blocksOfOrder(order).map(({ buffer }) => buffer),
      );
      const [result] = (await once(this.worker, 'message', { signal })) as [ThreadResult<Order>];
      return result;
    } finally {
      this.worker.off('exit', exit);
    }
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
