import { expect, it } from '@jest/globals';
import { serverNow, setServerClock, toServerTime } from './server-clock.js';

const HOUR_MS = 3_600_000;
const header = (time: number): string => new Date(time).toUTCString();

it.each([
  ['an hour behind', HOUR_MS],
  ['an hour ahead', -HOUR_MS],
  ['right', 0],
])('follows the service if the clock of this computer is %s', (_, difference) => {
  setServerClock(header(Date.now() + difference));
  const ahead = serverNow() - (Date.now() + difference);
  // At most the second that the header leaves out.
  expect(ahead).toBeGreaterThanOrEqual(0);
  expect(ahead).toBeLessThanOrEqual(1_100);
});

it('moves a time of this computer to the clock of the service', () => {
  const now = Date.now();
  setServerClock(header(now + HOUR_MS), now);
  const ahead = toServerTime(now - HOUR_MS) - now;
  expect(ahead).toBeGreaterThanOrEqual(0);
  expect(ahead).toBeLessThanOrEqual(1_000);
});

it.each([null, '', 'soon'])('ignores the header %j', (date) => {
  setServerClock(header(Date.now() + HOUR_MS));
  const before = serverNow();
  setServerClock(date);
  expect(serverNow() - before).toBeLessThan(1_000);
});
