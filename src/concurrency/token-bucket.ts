import { LRUCache } from 'lru-cache';
import type { Clock } from '../config/clock.js';

/** Allows a burst of `capacity`, then `perSecond`. */
export class TokenBucket {
  #tokens: number;
  #countedAt: number;

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#tokens = capacity;
    this.#countedAt = clock.now().getTime();
  }

  /** Consumes one token. Returns false if there is none. */
  consume(): boolean {
    const now = this.clock.now().getTime();
    // A clock that is set back adds no tokens and removes none.
    const seconds = Math.max(0, now - this.#countedAt) / 1000;
    this.#tokens = Math.min(this.capacity, this.#tokens + seconds * this.perSecond);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

const MAX_BUCKETS = 10_000;

/** A token bucket for each key. Above 10,000 keys, the least recently used key starts again with a full bucket. */
export class TokenBuckets {
  readonly #buckets: LRUCache<string, TokenBucket>;

  constructor(capacity: number, perSecond: number, clock: Clock) {
    const memoMethod = (): TokenBucket => new TokenBucket(capacity, perSecond, clock);
    this.#buckets = new LRUCache({ max: MAX_BUCKETS, memoMethod });
  }

  get(key: string): TokenBucket {
    return this.#buckets.memo(key);
  }
}
