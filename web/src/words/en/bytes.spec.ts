import { expect, it } from '@jest/globals';
import { formatBytes } from './bytes.js';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_500_000, '1.5 MB'],
  [10_000_000_000, '10 GB'],
  [2e15, '2,000 TB'],
])('formats %d bytes', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
