import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { withAdvisoryLock } from './dedicated-client.js';

const KEY = 0x5347_7e57n;

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

/** Acquires the lock, and returns a function that releases it. */
async function acquireLock(): Promise<() => Promise<void>> {
  const release = new EventEmitter();
  let done: Promise<unknown> = Promise.resolve();
  await new Promise<void>((held) => {
    done = withAdvisoryLock(testDatabase.appUrl, KEY, () => {
      held();
      return once(release, 'now');
    });
  });
  return async () => {
    release.emit('now');
    await done;
  };
}

it('runs one task after the other', async () => {
  const order: string[] = [];
  const release = await acquireLock();
  const next = withAdvisoryLock(testDatabase.appUrl, KEY, async () => void order.push('next'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  order.push('first');
  await release();
  await next;
  expect(order).toEqual(['first', 'next']);
});

it('stops waiting when the signal is aborted, and blocks no other caller', async () => {
  const release = await acquireLock();
  const stop = new AbortController();
  const worked: string[] = [];
  const waiting = withAdvisoryLock(testDatabase.appUrl, KEY, async () => void worked.push('it'), stop.signal);
  setTimeout(() => stop.abort(), 50);
  await expect(waiting).rejects.toThrow('Connection terminated');
  await release();
  expect(await withAdvisoryLock(testDatabase.appUrl, KEY, async () => 'free')).toBe('free');
  expect(worked).toEqual([]);
});

it('does not start if the signal is already aborted', async () => {
  const refused = withAdvisoryLock(testDatabase.appUrl, KEY, async () => 'begun', AbortSignal.abort());
  await expect(refused).rejects.toThrow('aborted');
});

it('completes work that has started, also after an abort', async () => {
  const stop = new AbortController();
  const work = withAdvisoryLock(
    testDatabase.appUrl,
    KEY,
    async (client) => {
      stop.abort();
      return (await client.query<{ done: boolean }>('select true as done')).rows;
    },
    stop.signal,
  );
  expect(await work).toEqual([{ done: true }]);
});
