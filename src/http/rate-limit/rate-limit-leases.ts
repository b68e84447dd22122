import type { Clock } from '../../config/clock.js';
import type { LeasedTokens } from './rate-limit.repository.js';
import type { RateLimitPolicy } from './rate-limits.js';

export interface TokenStore {
  leaseTokens(key: string, policy: RateLimitPolicy, wanted: number): Promise<LeasedTokens>;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** Tokens that are left as far as this instance knows; other instances may have taken some of them since. */
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

interface Lease {
  tokens: number;
  /** Tokens that nobody had taken when the store was last asked. */
  readonly unclaimed: number;
  readonly expiresAt: number;
}

interface Bucket {
  lease: Lease | null;
  refill: Promise<void> | null;
}

/** An instance takes this share of a limit at a time: few writes, and little held back from the other instances. */
const LEASE_SHARE = 0.1;
const STORE_TIMEOUT_MS = 1_000;
const MAX_BUCKETS = 50_000;

/**
 * Tokens that this instance took from the shared windows and has not spent. All instances together never spend more
 * than a limit in its window. Where the store is gone each instance counts the limit alone for one window: a database
 * that fails must not turn into a refusal of requests that need none.
 */
export class RateLimitLeases {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly store: TokenStore,
    private readonly clock: Clock,
    private readonly onStoreFailure: (error: unknown) => void,
  ) {}

  /** Spends one token of `subject`, asking the store only where this instance has none left. */
  async consume(policy: RateLimitPolicy, subject: string): Promise<RateDecision> {
    const key = `${policy.name}:${subject}`;
    const bucket = this.bucketOf(key);
    for (;;) {
      const lease = this.liveLease(bucket);
      if (lease && lease.tokens > 0) {
        lease.tokens -= 1;
        return this.decide(true, lease);
      }
      if (lease && lease.unclaimed === 0) return this.decide(false, lease);
      // Requests that arrive while the store is asked wait for that one answer.
      bucket.refill ??= this.refill(key, policy, bucket);
      await bucket.refill;
    }
  }

  /** Whether this instance already knows that `subject` has nothing left; null where it has, or nothing is known. */
  findExhausted(policy: RateLimitPolicy, subject: string): RateDecision | null {
    const bucket = this.buckets.get(`${policy.name}:${subject}`);
    const lease = bucket && this.liveLease(bucket);
    return lease && lease.tokens === 0 && lease.unclaimed === 0 ? this.decide(false, lease) : null;
  }

  /** Whether this instance counts `subject` in a window that is not over. */
  isCounted(policy: RateLimitPolicy, subject: string): boolean {
    const bucket = this.buckets.get(`${policy.name}:${subject}`);
    return bucket !== undefined && this.liveLease(bucket) !== null;
  }

  private async refill(key: string, policy: RateLimitPolicy, bucket: Bucket): Promise<void> {
    // The window ends `resetsInMs` after the store answered, which is later than now: the lease never outlives it.
    const askedAt = this.clock.now().getTime();
    const wanted = Math.max(1, Math.floor(policy.limit * LEASE_SHARE));
    try {
      const { granted, used, resetsInMs } = await withinTimeout(this.store.leaseTokens(key, policy, wanted));
      const unclaimed = Math.max(0, policy.limit - used);
      bucket.lease = { tokens: granted, unclaimed, expiresAt: askedAt + resetsInMs };
    } catch (error) {
      this.onStoreFailure(error);
      bucket.lease = { tokens: policy.limit, unclaimed: 0, expiresAt: askedAt + policy.windowSeconds * 1_000 };
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

  private bucketOf(key: string): Bucket {
    const known = this.buckets.get(key);
    if (known) return known;
    if (this.buckets.size >= MAX_BUCKETS) this.makeRoom();
    const bucket: Bucket = { lease: null, refill: null };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** Drops what has expired, else the oldest tenth: tokens given up this way are lost to their window, never spent twice. */
  private makeRoom(): void {
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

async function withinTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no rate tokens within ${STORE_TIMEOUT_MS} ms`)), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
