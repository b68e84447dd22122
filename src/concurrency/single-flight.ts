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
