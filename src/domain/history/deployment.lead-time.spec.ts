import { describe, expect, it } from '@jest/globals';
import { leadTimeSeconds } from './deployment.js';

const STARTED = new Date('2026-03-29T00:30:00Z');

describe('leadTimeSeconds', () => {
  it.each([
    ['2026-03-29T00:30:00Z', 0],
    ['2026-03-29T00:30:01Z', 1],
    ['2026-03-29T00:30:00.499Z', 0],
    ['2026-03-29T00:30:00.500Z', 1],
    // Across a change to summer time. UTC has no such change.
    ['2026-03-29T03:30:00+02:00', 3_600],
    ['2026-03-30T00:30:00Z', 86_400],
    ['2026-03-29T00:29:59Z', 0],
  ])('returns for a deployment at %s a lead time of %d seconds', (deployedAt, seconds) => {
    expect(leadTimeSeconds(STARTED, new Date(deployedAt))).toBe(seconds);
  });
});
