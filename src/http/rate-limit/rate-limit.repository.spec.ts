import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { RateLimitLeases } from './rate-limit-leases.js';
import { RateLimitRepository } from './rate-limit.repository.js';
import type { RateLimitPolicy } from './rate-limits.js';

const HOUR: RateLimitPolicy = { name: 'hour', limit: 200, windowSeconds: 3_600 };

let clone: TestDatabase;
let database: Database;
let windows: RateLimitRepository;

beforeAll(async () => {
  clone = await createTestDatabase();
  database = await Database.open({ url: clone.appUrl });
  windows = new RateLimitRepository(database);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

it('grants the requested tokens, and at the limit only the remaining ones', async () => {
  const policy = { ...HOUR, limit: 10 };
  const taken = [4, 4, 4, 4].map((requested) => () => windows.leaseTokens('sequence', policy, requested));
  const grants = [];
  for (const take of taken) grants.push(await take());
  expect(grants.map(({ granted, used }) => [granted, used])).toEqual([
    [4, 4],
    [4, 8],
    [2, 10],
    [0, 10],
  ]);
  for (const { resetsInMs } of grants) expect(resetsInMs > 0 && resetsInMs <= 3_600_000).toBe(true);
});

it('grants no more than the limit to concurrent instances', async () => {
  const instances = Array.from(
    { length: 8 },
    () => new RateLimitLeases(windows, new Clock(), (error) => expect(error).toBeNull()),
  );
  const decisions = await Promise.all(
    instances.flatMap((leases) => Array.from({ length: 100 }, () => leases.consume(HOUR, 'contended'))),
  );
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(200);
});

it('starts again when the window has passed', async () => {
  const policy = { ...HOUR, limit: 2, windowSeconds: 1 };
  await windows.leaseTokens('short', policy, 2);
  const { resetsInMs } = await windows.leaseTokens('short', policy, 2);
  await new Promise((resolve) => setTimeout(resolve, resetsInMs + 5));
  expect(await windows.leaseTokens('short', policy, 1)).toMatchObject({ granted: 1, used: 1 });
});

it('counts in the newer window if a statement started in an older one', async () => {
  const ahead = "insert into rate_limit_window values ('late', clock_timestamp() + interval '1 hour', 9, 9)";
  await withDedicatedClient(clone.superuserUrl, (client) => client.query(ahead));
  expect(await windows.leaseTokens('late', { ...HOUR, limit: 10 }, 5)).toMatchObject({ granted: 1, used: 10 });
});

it('allows access only with its function, and deletes old windows', async () => {
  await expect(database.pool.query('select * from rate_limit_window')).rejects.toMatchObject({ code: '42501' });
  await windows.leaseTokens('old', HOUR, 1);
  await database.pool.query("select delete_old_rate_limit_windows(now() + interval '1 day')");
  expect(await windows.leaseTokens('old', HOUR, 1)).toMatchObject({ used: 1 });
});
