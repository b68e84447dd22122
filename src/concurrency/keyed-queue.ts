import { AsyncResource } from 'node:async_hooks';
import PQueue from 'p-queue';

/**
 * Limits the number of concurrent calls for each key. The other calls of the key wait in order of arrival. So many calls with one key
 * delay no call with another key.
 */
export class KeyedQueue {
  private readonly queues = new Map<string, PQueue>();

  /** `createAbortError` creates the error for a caller whose signal is aborted. */
  constructor(
    private readonly concurrency: number,
    private readonly createAbortError = () => new Error('The caller stopped waiting.'),
  ) {}

  /** Rejects if the caller's signal is aborted first. A call that did not begin by then is not made. */
  async run<T>(key: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.queues.get(key) ?? this.open(key);
    try {
      // Without the binding, a call that waited would have the trace of the call that ended before it.
      return await queue.add(AsyncResource.bind(call), signal && { signal });
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? this.createAbortError() : error;
    }
  }

  /** Returns how many calls wait. */
  waiting(key: string): number {
    return this.queues.get(key)?.size ?? 0;
  }

  private open(key: string): PQueue {
    const queue = new PQueue({ concurrency: this.concurrency });
    queue.on('idle', () => this.queues.delete(key));
    this.queues.set(key, queue);
    return queue;
  }
}
