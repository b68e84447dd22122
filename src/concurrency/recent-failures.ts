import { LRUCache } from 'lru-cache';
import type { Clock } from '../config/clock.js';

const MAX_KEYS = 10_000;

/** Stores failed lookups for a short time, so that they are not repeated for every request. */
export class RecentFailures {
  readonly #keys: LRUCache<string, true>;

  /** A failure is stored for `lifetimeMs` milliseconds. */
  constructor(
    clock: Clock,
    private readonly lifetimeMs = 10_000,
  ) {
    const perf = { now: () => clock.now().getTime() };
    this.#keys = new LRUCache({ max: MAX_KEYS, ttl: lifetimeMs, ttlResolution: 0, perf });
  }

  has(key: string): boolean {
    const remainingMs = this.#keys.getRemainingTTL(key);
    // More than the lifetime remains only if the clock was set back since the failure.
    return remainingMs > 0 && remainingMs <= this.lifetimeMs;
  }

  add(key: string): void {
    this.#keys.set(key, true);
  }
}
