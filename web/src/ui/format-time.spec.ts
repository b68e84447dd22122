import { describe, expect, it } from '@jest/globals';
import { formatDay, formatDuration, formatExact, formatMoment, formatRelative, formatUtc } from './format-time.js';

const NOW = Date.UTC(2026, 10, 23, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('formatRelative', () => {
  it.each([
    ['now', 0],
    ['now', -59 * SECOND],
    ['now', 59 * SECOND],
    ['1 min. ago', -MINUTE],
    ['59 min. ago', -59 * MINUTE],
    ['1 hr. ago', -HOUR],
    ['23 hr. ago', -23 * HOUR],
    ['yesterday', -DAY],
    ['tomorrow', DAY],
    ['6 days ago', -6 * DAY],
    ['last wk.', -7 * DAY],
    ['last mo.', -30 * DAY],
    ['last yr.', -365 * DAY],
    ['in 5 min.', 5 * MINUTE],
  ])('formats %s', (text, distance) => {
    expect(formatRelative(NOW + distance, NOW)).toBe(text);
  });
});

it('names date, time and time zone of an exact time', () => {
  const noon = new Date(2026, 10, 23, 12).getTime();
  expect(formatExact(noon)).toMatch(/^Nov 23, 2026, 12:00:00\sPM (UTC|GMT|[A-Z]{2,4})/);
});

it('leaves the date of today out', () => {
  const noon = new Date(2026, 10, 23, 12).getTime();
  expect(formatMoment(noon + 5 * MINUTE, noon)).toMatch(/^12:05\sPM$/);
  expect(formatMoment(noon + DAY, noon)).toMatch(/^Nov 24, 2026, 12:00\sPM$/);
});

it.each([
  ['0 s', 0],
  ['0 s', 0.4],
  ['15 s', 15.9],
  ['1 min', 60],
  ['1 min 1 s', 61],
  ['2 h', 7_200],
  ['2 h', 7_205],
  ['1 d 23 h', 172_799],
  ['400 d', 400 * 86_400],
])('formats a duration as %s', (text, seconds) => {
  expect(formatDuration(seconds)).toBe(text);
});

it('formats times and days in UTC in any time zone of the reader', () => {
  expect(formatUtc(NOW)).toMatch(/^Nov 23, 2026, 12:00:00\sPM UTC$/);
  expect(formatDay(Date.UTC(2026, 11, 20, 23, 59))).toBe('Dec 20, 2026');
  expect(formatDay('2026-09-30')).toBe('Sep 30, 2026');
});
