import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { RateLimitLeases, type TokenStore } from './rate-limit-leases.js';
import type { LeasedTokens } from './rate-limit.repository.js';
import type { RateLimitPolicy } from './rate-limits.js';

const POLICY: RateLimitPolicy = { name: 'test', limit: 20, windowSeconds: 60 };

/** The rule of `lease_rate_limit_tokens`, in memory and with the test's clock. */
class MemoryStore implements TokenStore {
  readonly calls: { key: string; requested: number }[] = [];
  failure: Error | null = null;
  private readonly windows = new Map<string, { start: number; used: number }>();

  constructor(private readonly clock: FixedClock) {}

  async leaseTokens(key: string, { limit, windowSeconds }: RateLimitPolicy, requested: number): Promise<LeasedTokens> {
    this.calls.push({ key, requested });
    await Promise.resolve();
    if (this.failure) throw this.failure;
    const length = windowSeconds * 1_000;
    const now = this.clock.now().getTime();
    const start = Math.floor(now / length) * length;
    const held = this.windows.get(key);
    const used = held?.start === start ? held.used : 0;
    const granted = Math.max(0, Math.min(requested, limit - used));
    this.windows.set(key, { start, used: used + granted });
    return { granted, used: used + granted, resetsInMs: start + length - now };
  }
}

let clock: FixedClock;
let store: MemoryStore;
let failures: unknown[];

beforeEach(() => {
  clock = new FixedClock(new Date('2026-05-04T10:00:15Z'));
  store = new MemoryStore(clock);
  failures = [];
});

const instance = (): RateLimitLeases => new RateLimitLeases(store, clock, (error) => failures.push(error));

const consumeAll = async (leases: RateLimitLeases, times: number, subject = 'a'): Promise<number> => {
  const decisions = await Promise.all(Array.from({ length: times }, () => leases.consume(POLICY, subject)));
  return decisions.filter(({ allowed }) => allowed).length;
};

describe('consume', () => {
  it('allows exactly the limit for concurrent calls', async () => {
    expect(await consumeAll(instance(), 100)).toBe(20);
  });

  it('allows exactly the limit for all instances together', async () => {
    const instances = [instance(), instance(), instance()];
    const allowed = await Promise.all(instances.map((leases) => consumeAll(leases, 50)));
    expect(allowed.reduce((sum, count) => sum + count, 0)).toBe(20);
  });

  it('leases a tenth of the limit at a time, once for all waiting callers', async () => {
    await consumeAll(instance(), 2);
    expect(store.calls).toEqual([{ key: 'test:a', requested: 2 }]);
  });

  it('does not call the store again when the window is exhausted', async () => {
    const leases = instance();
    await consumeAll(leases, 21);
    const callsBefore = store.calls.length;
    await consumeAll(leases, 50);
    expect(store.calls).toHaveLength(callsBefore);
  });

  it('returns the remaining tokens and the end of the window', async () => {
    const leases = instance();
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: true, remaining: 19, resetsInSeconds: 45 });
    clock.advance(44_500);
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: true, remaining: 18, resetsInSeconds: 1 });
    await consumeAll(leases, 30);
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: false, remaining: 0, resetsInSeconds: 1 });
  });

  it('starts again in the next window, without the tokens of an earlier lease', async () => {
    const leases = instance();
    const other = instance();
    expect(await consumeAll(leases, 1)).toBe(1);
    clock.advance(45_000);
    expect((await consumeAll(leases, 30)) + (await consumeAll(other, 30))).toBe(20);
  });

  it('counts each subject separately', async () => {
    const leases = instance();
    expect([await consumeAll(leases, 30, 'a'), await consumeAll(leases, 30, 'b')]).toEqual([20, 20]);
  });

  it('leases at least one token', async () => {
    await instance().consume({ name: 'tiny', limit: 3, windowSeconds: 60 }, 'a');
    expect(store.calls).toEqual([{ key: 'tiny:a', requested: 1 }]);
  });
});

describe('findExhausted', () => {
  it('returns an exhausted limit without a call of the store until the window ends', async () => {
    const leases = instance();
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
    await consumeAll(leases, 19);
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
    await consumeAll(leases, 1);
    expect(leases.findExhausted(POLICY, 'a')).toMatchObject({ allowed: false, resetsInSeconds: 45 });
    clock.advance(45_000);
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
  });
});

describe('a store that fails', () => {
  it('counts in memory for one window if the store fails, and then calls the store again', async () => {
    const leases = instance();
    store.failure = new Error('gone');
    expect(await consumeAll(leases, 50)).toBe(20);
    expect(failures).toEqual([store.failure]);
    store.failure = null;
    clock.advance(60_000);
    expect(await consumeAll(leases, 50)).toBe(20);
    expect(failures).toHaveLength(1);
  });

  it('decides without a store that never answers', async () => {
    const silentStore: TokenStore = { leaseTokens: () => new Promise(() => undefined) };
    const leases = new RateLimitLeases(silentStore, clock, (error) => failures.push(error));
    expect(await leases.consume(POLICY, 'a')).toMatchObject({ allowed: true });
    expect(failures).toHaveLength(1);
  });
});

it('limits the number of subjects in memory, and still never exceeds a limit', async () => {
  const leases = instance();
  expect(await consumeAll(leases, 20, 'a')).toBe(20);
  for (let subject = 0; subject < 60_000; subject++) await leases.consume(POLICY, `other-${subject}`);
  const callsBefore = store.calls.length;
  expect(await consumeAll(leases, 5, 'a')).toBe(0);
  // The subject was removed from memory, so the store rejects it now.
  expect(store.calls.length).toBeGreaterThan(callsBefore);
});
