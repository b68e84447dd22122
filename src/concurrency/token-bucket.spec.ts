import { describe, expect, it } from '@jest/globals';
import { Clock } from '../config/clock.js';
import { TokenBucket } from './token-bucket.js';

function given(capacity: number, perSecond: number) {
  let now = 1_000_000;
  const bucket = new TokenBucket(capacity, perSecond, Object.assign(new Clock(), { now: () => new Date(now) }));
  return {
    pass: (ms: number): void => {
      now += ms;
    },
    consumeAll: (): number => {
      let taken = 0;
      while (taken < 100 && bucket.consume()) taken++;
      return taken;
    },
  };
}

describe('TokenBucket', () => {
  it('allows a burst, then nothing until time has passed', () => {
    const { pass, consumeAll } = given(20, 1);
    expect(consumeAll()).toBe(20);
    pass(999);
    expect(consumeAll()).toBe(0);
    pass(1);
    expect(consumeAll()).toBe(1);
  });

  it('adds up parts of a second, up to the capacity', () => {
    const { pass, consumeAll } = given(3, 2);
    consumeAll();
    pass(250);
    expect(consumeAll()).toBe(0);
    pass(250);
    expect(consumeAll()).toBe(1);
    pass(3_600_000);
    expect(consumeAll()).toBe(3);
  });

  it('adds and removes no tokens when the clock is set back', () => {
    const { pass, consumeAll } = given(2, 1);
    consumeAll();
    pass(-60_000);
    expect(consumeAll()).toBe(0);
    pass(1_000);
    expect(consumeAll()).toBe(1);
  });
});
