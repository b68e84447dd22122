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
    takeAll: (): number => {
      let taken = 0;
      while (taken < 100 && bucket.consume()) taken++;
      return taken;
    },
  };
}

describe('TokenBucket', () => {
  it('allows a burst, then nothing until time has passed', () => {
    const { pass, takeAll } = given(20, 1);
    expect(takeAll()).toBe(20);
    pass(999);
    expect(takeAll()).toBe(0);
    pass(1);
    expect(takeAll()).toBe(1);
  });

  it('adds up parts of a second, and never holds more than its capacity', () => {
    const { pass, takeAll } = given(3, 2);
    takeAll();
    pass(250);
    expect(takeAll()).toBe(0);
    pass(250);
    expect(takeAll()).toBe(1);
    pass(3_600_000);
    expect(takeAll()).toBe(3);
  });

  it('gives nothing for a clock that is set back, and takes nothing away', () => {
    const { pass, takeAll } = given(2, 1);
    takeAll();
    pass(-60_000);
    expect(takeAll()).toBe(0);
    pass(1_000);
    expect(takeAll()).toBe(1);
  });
});
