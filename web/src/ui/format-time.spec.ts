import { describe, expect, it } from '@jest/globals';
import { formatDay, formatExact, formatMoment, formatRelative } from './format-time.js';

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
  expect(formatExact(NOW)).toMatch(/^Nov 2[23], 2026, \d{1,2}:00:00\s[AP]M (UTC|GMT|[A-Z]{2,4})/);
});

it('leaves the date of today out', () => {
  const noon = new Date(2026, 10, 23, 12).getTime();
  expect(formatMoment(noon + 5 * MINUTE, noon)).toMatch(/^12:05\sPM$/);
  expect(formatMoment(noon + DAY, noon)).toMatch(/^Nov 24, 2026, 12:00\sPM$/);
});

it('formats a day in UTC', () => {
  expect(formatDay(Date.UTC(2026, 11, 20, 23, 59))).toBe('Dec 20, 2026');
});
