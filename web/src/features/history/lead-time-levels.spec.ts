import { describe, expect, it } from '@jest/globals';
import { leadTimeLevels } from './lead-time-levels.js';

const HOUR = 3_600;
const DAY = 86_400;

describe('leadTimeLevels', () => {
  it.each([
    ['nothing', 0, [0, 1, 2]],
    ['seconds', 41, [0, 30, 60]],
    ['a minute', 60, [0, 30, 60]],
    ['minutes', 61, [0, 60, 120]],
    ['hours', 5 * HOUR, [0, 3 * HOUR, 6 * HOUR]],
    ['days', 9 * DAY, [0, 5 * DAY, 10 * DAY]],
    ['months', 70 * DAY, [0, 50 * DAY, 100 * DAY]],
    ['years', 4_000 * DAY, [0, 2_500 * DAY, 5_000 * DAY]],
  ])('marks round values for %s', (_, longest, levels) => {
    expect(leadTimeLevels(longest)).toEqual(levels);
  });
});
