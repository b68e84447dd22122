import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { cachedReading } from './cached-reading.js';

const LONG_MS = 60_000;

it('reads once for all callers in the interval', async () => {
  let reads = 0;
  const read = cachedReading(LONG_MS, async () => (reads += 1));
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(1);
});

it('reads again after the interval', async () => {
  let reads = 0;
  const read = cachedReading(5, async () => (reads += 1));
  await read();
  await sleep(10);
  expect(await read()).toBe(2);
});

it('reads again after a failure', async () => {
  let reads = 0;
  const read = cachedReading(LONG_MS, async () => {
    reads += 1;
    if (reads === 1) throw new Error('away');
    return reads;
  });
  await expect(read()).rejects.toThrow('away');
  expect(await read()).toBe(2);
});
