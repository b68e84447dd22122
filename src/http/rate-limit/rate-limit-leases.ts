import pTimeout from 'p-timeout';
import type { Clock } from '../../config/clock.js';
import type { LeasedTokens } from './rate-limit.repository.js';
import type { RateLimitPolicy } from './rate-limits.js';

export interface TokenStore {
  leaseTokens(key: string, policy: RateLimitPolicy, requested: number): Promise<LeasedTokens>;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** The remaining tokens that this instance knows of. Other instances may have leased some since. */
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

interface Lease {
  tokens: number;
  /** The tokens that were left in the store at the last request. */
  readonly unclaimed: number;
  readonly expiresAt: number;
}

interface Bucket {
  lease: Lease | null;
  refill: Promise<void> | null;
}

/**
 * The share of a limit that an instance leases at a time. It needs few writes and withholds little from other
 * instances.
 */
const LEASE_SHARE = 0.1;
const STORE_TIMEOUT_MS = 1_000;
const MAX_BUCKETS = 50_000;

/**
 * The leased tokens of this instance. All instances together never consume more than a limit in its window. If the
 * store fails, each instance applies the limit alone for one window, because a database failure must not reject
 * requests that need no database.
 */
export class RateLimitLeases {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly store: TokenStore,
    private readonly clock: Clock,
    private readonly onStoreFailure: (error: unknown) => void,
  ) {}

  /** Consumes one token of `subject`. Requests tokens from the store only if this instance has none left. */
  async consume(policy: RateLimitPolicy, subject: string): Promise<RateDecision> {
    const key = `${policy.name}:${subject}`;
    const bucket = this.getBucket(key);
    for (;;) {
      const lease = this.liveLease(bucket);
      if (lease && lease.tokens > 0) {
        lease.tokens -= 1;
        return this.decide(true, lease);
      }
      if (lease && lease.unclaimed === 0) return this.decide(false, lease);
      // Concurrent requests wait for the same answer of the store.
      bucket.refill ??= this.refill(key, policy, bucket);
      await bucket.refill;
    }
  }

  /**
   * Returns the decision if this instance knows that `subject` has no tokens left. Null if it has some, or if that is
   * not known.
   */
  findExhausted(policy: RateLimitPolicy, subject: string): RateDecision | null {
    const bucket = this.buckets.get(`${policy.name}:${subject}`);
    const lease = bucket && this.liveLease(bucket);
    return lease && lease.tokens === 0 && lease.unclaimed === 0 ? this.decide(false, lease) : null;
  }

  /** Returns whether this instance counts `subject` in a current window. */
  isCounted(policy: RateLimitPolicy, subject: string): boolean {
    const bucket = this.buckets.get(`${policy.name}:${subject}`);
    return bucket !== undefined && this.liveLease(bucket) !== null;
  }

  private async refill(key: string, policy: RateLimitPolicy, bucket: Bucket): Promise<void> {
    // The window ends `resetsInMs` after the answer of the store. The time before the request is earlier, so the lease
    // never outlives the window.
    const requestedAt = this.clock.now().getTime();
    const requested = Math.max(1, Math.floor(policy.limit * LEASE_SHARE));
    try {
      const { granted, used, resetsInMs } = await pTimeout(this.store.leaseTokens(key, policy, requested), {
        milliseconds: STORE_TIMEOUT_MS,
        message: `no rate tokens within ${STORE_TIMEOUT_MS} ms`,
      });
      const unclaimed = Math.max(0, policy.limit - used);
      bucket.lease = { tokens: granted, unclaimed, expiresAt: requestedAt + resetsInMs };
    } catch (error) {
      this.onStoreFailure(error);
      bucket.lease = { tokens: policy.limit, unclaimed: 0, expiresAt: requestedAt + policy.windowSeconds * 1_000 };
    } finally {
      bucket.refill = null;
    }
  }

  private liveLease({ lease }: Bucket): Lease | null {
    return lease && this.clock.now().getTime() < lease.expiresAt ? lease : null;
  }

  private decide(allowed: boolean, { tokens, unclaimed, expiresAt }: Lease): RateDecision {
    const resetsInMs = expiresAt - this.clock.now().getTime();
    return { allowed, remaining: tokens + unclaimed, resetsInSeconds: Math.max(1, Math.ceil(resetsInMs / 1_000)) };
  }

  private getBucket(key: string): Bucket {
    const known = this.buckets.get(key);
    if (known) return known;
    if (this.buckets.size >= MAX_BUCKETS) this.evictBuckets();
    const bucket: Bucket = { lease: null, refill: null };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /**
   * Deletes expired buckets, else the oldest tenth. Their leased tokens are lost for the window but never consumed
   * twice.
   */
  private evictBuckets(): void {
    for (const [key, bucket] of this.buckets) {
      if (!bucket.refill && !this.liveLease(bucket)) this.buckets.delete(key);
    }
    let surplus = this.buckets.size - MAX_BUCKETS * 0.9;
    for (const [key, bucket] of this.buckets) {
      if (surplus-- <= 0) break;
      if (!bucket.refill) this.buckets.delete(key);
    }
  }
}
