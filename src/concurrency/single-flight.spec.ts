import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { stoppedWaiting } from '../github/transport/github-error.js';
import { SingleFlight, cachedReading } from './single-flight.js';

describe('SingleFlight', () => {
  it('runs once for concurrent callers, and again for a later caller', async () => {
    const work = new SingleFlight<number>();
    let count = 0;
    const next = async (): Promise<number> => (count += 1);
    await expect(Promise.all([work.run('a', next), work.run('a', next), work.run('b', next)])).resolves.toEqual([
      1, 1, 2,
    ]);
    await expect(work.run('a', next)).resolves.toBe(3);
  });

  it('continues for the other callers when one stops waiting', async () => {
    const work = new SingleFlight<string>(stoppedWaiting);
    let finish: (value: string) => void = () => undefined;
    const slow = () => new Promise<string>((resolve) => (finish = resolve));
    const controller = new AbortController();
    const aborted = work.run('a', slow, controller.signal);
    const waiting = work.run('a', slow, new AbortController().signal);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ kind: 'timeout' });
    finish('done');
    await expect(waiting).resolves.toBe('done');
  });

  it('rejects a caller at once if the signal is already aborted', async () => {
    const work = new SingleFlight<string>(stoppedWaiting);
    const never = () => new Promise<string>(() => undefined);
    await expect(work.run('a', never, AbortSignal.abort())).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('rejects all waiting callers, and runs again for the next one', async () => {
    const work = new SingleFlight<string>();
    const fail = () => Promise.reject(new Error('no'));
    const both = await Promise.allSettled([work.run('a', fail), work.run('a', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(work.run('a', () => Promise.resolve('yes'))).resolves.toBe('yes');
  });
});

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
