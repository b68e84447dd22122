import { expect, it } from '@jest/globals';
import { formatBytes } from './bytes.js';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1_023, '1,023 bytes'],
  [1_024, '1 KiB'],
  [1_572_864, '1.5 MiB'],
  [2 ** 30, '1 GiB'],
  [2 ** 51, '2,048 TiB'],
])('formats %d bytes', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
