import { describe, expect, it } from '@jest/globals';
import { ABSOLUTE_TIMEOUT_MS, IDLE_TIMEOUT_MS, isFresh } from './session-lifetime.js';

const NOW = new Date('2026-05-04T10:00:00Z');

describe('a session', () => {
  it('ends after twelve hours without use, and after seven days with it', () => {
    expect(IDLE_TIMEOUT_MS).toBe(43_200_000);
    expect(ABSOLUTE_TIMEOUT_MS).toBe(604_800_000);
  });
});

describe('a confirmation by GitHub', () => {
  it.each([
    [0, true],
    [899_999, true],
    [900_000, false],
    [86_400_000, false],
    [-59_999, true],
    [-60_000, false],
    [-86_400_000, false],
  ])('given %i ms ago counts: %s', (age, counts) => {
    expect(isFresh(new Date(NOW.getTime() - age), NOW)).toBe(counts);
  });

  it('does not count if it is missing, nor at an invalid time', () => {
    expect(isFresh(null, NOW)).toBe(false);
    expect(isFresh(new Date(Number.NaN), NOW)).toBe(false);
  });
});
