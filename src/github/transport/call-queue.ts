import PQueue from 'p-queue';
import { stoppedWaiting } from './github-error.js';

/**
 * GitHub allows 100 concurrent requests ("Rate limits for the REST API", secondary limits). This limit is far lower, because
 * several processes call for the same installation, and far higher than one release needs.
 */
const CONCURRENCY = 16;

/**
 * Limits the number of concurrent calls for each rate-limit budget. The other calls wait in order of arrival. So many calls of one
 * organization delay only the calls of that organization.
 */
export class CallQueue {
  private readonly queues = new Map<string, PQueue>();

  constructor(private readonly concurrency = CONCURRENCY) {}

  /** Rejects with a `timeout` if the caller's signal is aborted first. A call that did not begin by then is not made. */
  async run<T>(name: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.queues.get(name) ?? this.open(name);
    try {
      return await queue.add(call, signal && { signal });
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? stoppedWaiting() : error;
    }
  }

  /** Returns how many calls wait. */
  waiting(name: string): number {
    return this.queues.get(name)?.size ?? 0;
  }

  private open(name: string): PQueue {
    const queue = new PQueue({ concurrency: this.concurrency });
    queue.on('idle', () => this.queues.delete(name));
    this.queues.set(name, queue);
    return queue;
  }
}
