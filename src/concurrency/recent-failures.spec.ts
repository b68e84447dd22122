import { expect, it } from '@jest/globals';
import { Clock } from '../config/clock.js';
import { RecentFailures } from './recent-failures.js';

function given() {
  let now = 1_000_000;
  const clock = Object.assign(new Clock(), { now: () => new Date(now) });
  return { failures: new RecentFailures(clock, 10_000), setTime: (ms: number) => void (now = 1_000_000 + ms) };
}

it('returns true for a failure until its lifetime ends', () => {
  const { failures, setTime } = given();
  failures.add('a');
  setTime(9_999);
  expect(failures.has('a')).toBe(true);
  expect(failures.has('b')).toBe(false);
  setTime(10_000);
  expect(failures.has('a')).toBe(false);
});

it('starts the lifetime again for a repeated failure', () => {
  const { failures, setTime } = given();
  failures.add('a');
  setTime(9_000);
  failures.add('a');
  setTime(18_999);
  expect(failures.has('a')).toBe(true);
});

it('does not extend the lifetime when the clock is set back', () => {
  const { failures, setTime } = given();
  failures.add('a');
  setTime(-3_600_000);
  expect(failures.has('a')).toBe(false);
});
