import { describe, expect, it } from '@jest/globals';
import { boundOpenUntil, MAX_OPEN_MS } from './open-until.js';

const NOW = new Date('2026-05-04T10:03:20.000Z');
const after = (ms: number): Date => new Date(NOW.getTime() + ms);

describe('boundOpenUntil', () => {
  it.each([1, 60_000, MAX_OPEN_MS])('returns the limit of the gate if it is %i ms away', (ms) => {
    expect(boundOpenUntil(after(ms), NOW)).toEqual(after(ms));
    expect(boundOpenUntil(after(ms).getTime(), NOW)).toEqual(after(ms));
  });

  it('bounds a limit that is one millisecond too far away', () => {
    expect(boundOpenUntil(after(MAX_OPEN_MS + 1), NOW)).toEqual(new Date('2026-05-04T10:20:00.000Z'));
  });

  it.each([86_400_000, Number.POSITIVE_INFINITY])(
    'bounds a limit that is %d ms away, and returns the same time for some minutes',
    (ms) => {
      const bound = boundOpenUntil(NOW.getTime() + ms, NOW);
      expect(bound).toEqual(new Date('2026-05-04T10:20:00.000Z'));
      expect(boundOpenUntil(NOW.getTime() + ms, after(300_000))).toEqual(bound);
    },
  );
});
