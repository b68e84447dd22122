import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../../test/support/set-clock.js';
import { RateLimitLeases, type TokenStore } from './rate-limit-leases.js';
import type { LeasedTokens } from './rate-limit.repository.js';
import type { RateLimitPolicy } from './rate-limits.js';

const POLICY: RateLimitPolicy = { name: 'test', limit: 20, windowSeconds: 60 };

/** The rule of `lease_rate_limit_tokens`, in memory and on the test's clock. */
class MemoryStore implements TokenStore {
  readonly calls: { key: string; wanted: number }[] = [];
  failure: Error | null = null;
  private readonly windows = new Map<string, { start: number; used: number }>();

  constructor(private readonly clock: FixedClock) {}

  async leaseTokens(key: string, { limit, windowSeconds }: RateLimitPolicy, wanted: number): Promise<LeasedTokens> {
    this.calls.push({ key, wanted });
    await Promise.resolve();
    if (this.failure) throw this.failure;
    const length = windowSeconds * 1_000;
    const now = this.clock.now().getTime();
    const start = Math.floor(now / length) * length;
    const held = this.windows.get(key);
    const used = held?.start === start ? held.used : 0;
    const granted = Math.max(0, Math.min(wanted, limit - used));
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

const spendAll = async (leases: RateLimitLeases, times: number, subject = 'a'): Promise<number> => {
  const decisions = await Promise.all(Array.from({ length: times }, () => leases.consume(POLICY, subject)));
  return decisions.filter(({ allowed }) => allowed).length;
};

describe('spending', () => {
  it('allows exactly the limit, however many ask at once', async () => {
    expect(await spendAll(instance(), 100)).toBe(20);
  });

  it('allows exactly the limit to all instances together', async () => {
    const instances = [instance(), instance(), instance()];
    const allowed = await Promise.all(instances.map((leases) => spendAll(leases, 50)));
    expect(allowed.reduce((sum, count) => sum + count, 0)).toBe(20);
  });

  it('asks the store for a tenth of the limit at a time, and once for all who wait', async () => {
    await spendAll(instance(), 2);
    expect(store.calls).toEqual([{ key: 'test:a', wanted: 2 }]);
  });

  it('asks no more once it knows that the window is spent', async () => {
    const leases = instance();
    await spendAll(leases, 21);
    const asked = store.calls.length;
    await spendAll(leases, 50);
    expect(store.calls).toHaveLength(asked);
  });

  it('says what is left and when it is whole again', async () => {
    const leases = instance();
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: true, remaining: 19, resetsInSeconds: 45 });
    clock.advance(44_500);
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: true, remaining: 18, resetsInSeconds: 1 });
    await spendAll(leases, 30);
    expect(await leases.consume(POLICY, 'a')).toEqual({ allowed: false, remaining: 0, resetsInSeconds: 1 });
  });

  it('begins anew with the next window, and takes no lease over into it', async () => {
    const leases = instance();
    const other = instance();
    expect(await spendAll(leases, 1)).toBe(1);
    clock.advance(45_000);
    expect((await spendAll(leases, 30)) + (await spendAll(other, 30))).toBe(20);
  });

  it('counts each subject for itself', async () => {
    const leases = instance();
    expect([await spendAll(leases, 30, 'a'), await spendAll(leases, 30, 'b')]).toEqual([20, 20]);
  });

  it('always takes at least one token', async () => {
    await instance().consume({ name: 'tiny', limit: 3, windowSeconds: 60 }, 'a');
    expect(store.calls).toEqual([{ key: 'tiny:a', wanted: 1 }]);
  });
});

describe('knowing that nothing is left', () => {
  it('is known without asking, and forgotten with the window', async () => {
    const leases = instance();
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
    await spendAll(leases, 19);
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
    await spendAll(leases, 1);
    expect(leases.findExhausted(POLICY, 'a')).toMatchObject({ allowed: false, resetsInSeconds: 45 });
    clock.advance(45_000);
    expect(leases.findExhausted(POLICY, 'a')).toBeNull();
  });
});

describe('without its store', () => {
  it('counts the limit alone for one window, and then asks again', async () => {
    const leases = instance();
    store.failure = new Error('gone');
    expect(await spendAll(leases, 50)).toBe(20);
    expect(failures).toEqual([store.failure]);
    store.failure = null;
    clock.advance(60_000);
    expect(await spendAll(leases, 50)).toBe(20);
    expect(failures).toHaveLength(1);
  });

  it('does not wait for one that never answers', async () => {
    const deaf: TokenStore = { leaseTokens: () => new Promise(() => undefined) };
    const leases = new RateLimitLeases(deaf, clock, (error) => failures.push(error));
    expect(await leases.consume(POLICY, 'a')).toMatchObject({ allowed: true });
    expect(failures).toHaveLength(1);
  });
});

it('holds a bounded number of subjects, and still never exceeds a limit', async () => {
  const leases = instance();
  expect(await spendAll(leases, 20, 'a')).toBe(20);
  for (let subject = 0; subject < 60_000; subject++) await leases.consume(POLICY, `other-${subject}`);
  const asked = store.calls.length;
  expect(await spendAll(leases, 5, 'a')).toBe(0);
  // The subject had been dropped: it is the store that refuses it now.
  expect(store.calls.length).toBeGreaterThan(asked);
});
