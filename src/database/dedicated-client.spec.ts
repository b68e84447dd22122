import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { withAdvisoryLock, withDedicatedClient } from './dedicated-client.js';

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

/** Resolves as soon as another caller waits for the lock. */
async function someoneWaits(): Promise<void> {
  await withDedicatedClient(testDatabase.superuserUrl, async (client) => {
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    while ((await client.query(waiting)).rowCount === 0) await sleep(5);
  });
}

it('runs one task after the other', async () => {
  const order: string[] = [];
  const release = await acquireLock();
  const next = withAdvisoryLock(testDatabase.appUrl, KEY, async () => void order.push('next'));
  await someoneWaits();
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
  await Promise.all([
    expect(waiting).rejects.toThrow('Connection terminated'),
    someoneWaits().then(() => stop.abort()),
  ]);
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
