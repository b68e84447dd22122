import pTimeout from 'p-timeout';

/** Runs work with the same key once for all callers who wait at the same time. A later call starts the work again. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<T>>();

  /** `createAbortError` creates the error for a caller whose signal is aborted. */
  constructor(private readonly createAbortError = () => new Error('The caller stopped waiting.')) {}

  /** Rejects for this caller when `signal` is aborted. The work continues for the other callers. */
  async run(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let shared = this.running.get(key);
    if (shared === undefined) {
      shared = work().finally(() => this.running.delete(key));
      // The caller who started the work may no longer wait when it fails.
      shared.catch(() => undefined);
      this.running.set(key, shared);
    }
    if (signal === undefined) return shared;
    try {
      return await pTimeout(shared, { milliseconds: Number.POSITIVE_INFINITY, signal });
    } catch (error) {
      throw signal.aborted && error === signal.reason ? this.createAbortError() : error;
    }
  }
}

/** Returns the result, or undefined after the deadline or an error. The work continues and logs its own errors. */
export const withinDeadline = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  pTimeout(work, { milliseconds: Number.POSITIVE_INFINITY, signal }).catch(() => undefined);

/**
 * Returns a function that reads at most once in `milliseconds` and shares each result. A failed read is not cached. A read that hangs
 * is shared for the same time.
 */
export function cachedReading<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let startedAt = 0;
  return async () => {
    const now = performance.now();
    if (latest === null || now - startedAt >= milliseconds) {
      const reading = read();
      latest = reading;
      startedAt = now;
      reading.catch(() => {
        if (latest === reading) latest = null;
      });
    }
    return latest;
  };
}
