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

/** Holds the lock until what is answered is called. */
async function heldLock(): Promise<() => Promise<void>> {
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

it('lets one work after the other', async () => {
  const order: string[] = [];
  const letGo = await heldLock();
  const next = withAdvisoryLock(testDatabase.appUrl, KEY, async () => void order.push('next'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  order.push('first');
  await letGo();
  await next;
  expect(order).toEqual(['first', 'next']);
});

it('waits no longer once it is told to stop, and keeps nobody waiting', async () => {
  const letGo = await heldLock();
  const stop = new AbortController();
  const worked: string[] = [];
  const waiting = withAdvisoryLock(testDatabase.appUrl, KEY, async () => void worked.push('it'), stop.signal);
  setTimeout(() => stop.abort(), 50);
  await expect(waiting).rejects.toThrow('Connection terminated');
  await letGo();
  expect(await withAdvisoryLock(testDatabase.appUrl, KEY, async () => 'free')).toBe('free');
  expect(worked).toEqual([]);
});

it('does not begin where it was told to stop before', async () => {
  const refused = withAdvisoryLock(testDatabase.appUrl, KEY, async () => 'begun', AbortSignal.abort());
  await expect(refused).rejects.toThrow('aborted');
});

it('ends work that has begun, whatever it is told', async () => {
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
