import { describe, expect, it } from '@jest/globals';
import { toDay, daysUntil, formatDays, placeOnLine, toSpan } from './freeze-days.js';

const NOW = Date.UTC(2026, 10, 23, 23, 59);
const freeze = (from: string, to: string) => ({ from, to });

it('counts days in UTC', () => {
  expect(toDay(NOW)).toBe('2026-11-23');
  expect(toDay(NOW + 60_000)).toBe('2026-11-24');
});

it('ends a freeze after its last day', () => {
  expect(toSpan(freeze('2026-12-20', '2026-12-20'))).toEqual({
    start: Date.UTC(2026, 11, 20),
    end: Date.UTC(2026, 11, 21),
  });
});

describe('daysUntil', () => {
  it.each([
    ['2026-11-01', '2026-11-22', null],
    ['2026-11-01', '2026-11-23', 0],
    ['2026-11-23', '2026-11-23', 0],
    ['2026-11-24', '2026-11-24', 1],
    ['2026-12-23', '2026-12-31', 30],
  ])('of %s to %s is %s', (from, to, days) => {
    expect(daysUntil(freeze(from, to), NOW)).toBe(days);
  });
});

describe('placeOnLine', () => {
  it.each([
    ['2026-11-01', '2026-11-23', { start: 0, length: 1 }],
    ['2026-11-24', '2026-11-25', { start: 1, length: 2 }],
    ['2026-11-30', '2027-03-01', { start: 7, length: 3 }],
    ['2026-12-03', '2026-12-04', null],
    ['2026-11-01', '2026-11-22', null],
  ])('places %s to %s on 10 days', (from, to, place) => {
    expect(placeOnLine(freeze(from, to), NOW, 10)).toEqual(place);
  });
});

it('formats days as days of UTC', () => {
  expect(formatDays(freeze('2026-12-20', '2026-12-20'))).toBe('Dec 20, 2026');
  expect(formatDays(freeze('2026-12-20', '2027-01-02')).replaceAll(/\s/g, ' ')).toBe('Dec 20, 2026 – Jan 2, 2027');
});
