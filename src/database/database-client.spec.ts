import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pTimeout from 'p-timeout';
import { SilentLine } from '../../test/support/silent-line.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { changeDatabaseUrl } from '../config/database-url.js';
import { Database } from './database.js';

/** Connections are cut after three seconds. */
const LIMIT_MS = 8_000;

describe('the close of the database', () => {
  let test: TestDatabase;
  let line: SilentLine;
  let database: Database;

  beforeEach(async () => {
    test = await createTestDatabase();
    line = await SilentLine.to(Number(new URL(test.appUrl).port));
    const url = changeDatabaseUrl(test.appUrl, (changed) => (changed.port = String(line.port)));
    database = await Database.open({ url, directUrl: url, replicaUrl: url, poolSize: 3 });
  });
  afterEach(async () => {
    await line.close();
    await test.drop();
  });

  const close = (): Promise<void> => pTimeout(database.close(), { milliseconds: LIMIT_MS });
  const messageOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      ({ message }: Error) => message,
    );

  it('waits for a statement that ends soon', async () => {
    const used = await database.pool.connect();
    const pending = messageOf(used.query('select pg_sleep(0.5)')).finally(() => used.release());
    await close();
    expect(await pending).toBe('done');
  });

  it.each(['pool', 'sessions'] as const)(
    'cuts connections of the %s with a statement that gets no answer, that are given back late, and that are not established',
    async (name) => {
      const pool = database[name];
      const late = await pool.connect();
      const used = await pool.connect();
      await used.query('select 1');
      line.fallSilent();
      const outcomes = [used.query('select 1'), pool.connect()].map(messageOf);
      const closed = close();
      await sleep(100);
      late.release();
      await closed;
      const [statement, connection] = await Promise.all(outcomes);
      expect(statement).toBe('Connection terminated unexpectedly');
      // On a busy machine the limit of a connection may end first.
      expect(connection).toMatch(/^(?:Connection terminated|timeout exceeded)/);
    },
  );
});
