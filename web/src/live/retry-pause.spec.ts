import { expect, it } from '@jest/globals';
import { retryPause } from './retry-pause.js';

it.each([
  [1, 5_000],
  [2, 10_000],
  [3, 20_000],
  [7, 300_000],
  [50, 300_000],
])('waits after failure %d for %d ms', (failures, ms) => {
  expect(retryPause(failures, 0)).toBe(ms);
  expect(retryPause(failures, 1)).toBe(ms * 1.2);
});
