import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { freePort } from '../../test/support/free-port.js';
import { changeDatabaseUrl } from '../config/database-url.js';
import { Database, NO_USER_ID } from './database.js';
import { toOrgId } from './ids.js';
import { LongRead, type Replica } from './replica.js';

// `npm run test:operate` tests it with a real standby.
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('an unusable replica', () => {
  const refusing = async (): Promise<string> => {
    const port = await freePort();
    return changeDatabaseUrl(test.appUrl, (url) => (url.port = String(port)));
  };

  it.each([
    ['the primary itself', () => test.appUrl, 'it is no standby'],
    ['a superuser', () => test.superuserUrl, 'it has another database or role than the primary'],
    ['a server that does not run', refusing, 'ECONNREFUSED'],
  ])('is not used: %s', async (_, getUrl, problem) => {
    const database = await Database.open({ url: test.appUrl, replicaUrl: await getUrl(), poolSize: 1 });
    try {
      await database.replica?.check();
      expect(database.replica?.problem).toContain(problem);
      expect(database.replica?.behindMs).toBe(Infinity);
      const reads = database.openLongRead({ orgId: toOrgId(randomUUID()), userId: NO_USER_ID });
      expect(await reads.read((tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
    }
  });
});

describe('a long read', () => {
  /** Runs one read for each state of the replica, and returns the servers that were used. A read on the replica may fail. */
  async function run(...states: readonly ('usable' | 'behind' | 'away' | 'wrong')[]): Promise<string> {
    const servers: string[] = [];
    let state: (typeof states)[number] = 'usable';
    const replica = {
      get problem() {
        return state === 'behind' ? 'it is too far behind' : null;
      },
      suspend: () => void servers.push('suspended'),
    } as Replica;
    const reads = new LongRead<null>(replica, async (work, on) => {
      servers.push(on === null ? 'primary' : 'replica');
      if (on !== null && state === 'away') throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      if (on !== null && state === 'wrong') throw Object.assign(new Error('no such column'), { code: '42703' });
      return work(null);
    });
    for (state of states) await reads.read(async () => null).catch(({ message }: Error) => servers.push(message));
    return servers.join(' ');
  }

  it.each([
    [['usable', 'usable'], 'replica replica'],
    [['behind', 'usable'], 'primary primary'],
    [['usable', 'behind', 'usable'], 'replica primary primary'],
    [['usable', 'away', 'usable'], 'replica replica suspended primary primary'],
    [['wrong', 'usable'], 'replica no such column replica'],
  ] as const)('goes from the replica to the primary and never back: %j', async (states, servers) => {
    expect(await run(...states)).toBe(servers);
  });
});
