import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { readTestEnvironment } from '../../../test/support/read-test-environment.js';
import { changeDatabaseUrl } from '../../config/database-url.js';
import { withServiceDatabase } from './command-runtime.js';

describe('a command on the database of the service', () => {
  let database: TestDatabase;
  let received: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    received = '';
    process.exitCode = undefined;
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      received += String(text);
      return true;
    });
  });
  afterEach(async () => {
    process.exitCode = undefined;
    jest.restoreAllMocks();
    await database.drop();
  });

  const environmentOf = (url: string) => readTestEnvironment({ DATABASE_URL: url });

  it('does its work and closes the database', async () => {
    let found: unknown;
    await withServiceDatabase(environmentOf(database.appUrl), { migrates: false }, async ({ pool }) => {
      ({ rows: found } = await pool.query('select current_user as role'));
    });
    expect(found).toEqual([{ role: 'shipgate_app' }]);
    expect([received, process.exitCode]).toEqual(['', undefined]);
    await expect(database.drop()).resolves.toBeUndefined();
  });

  it('prints a message if its work fails', async () => {
    const work = () => Promise.reject(new Error('There is no key yet.'));
    await withServiceDatabase(environmentOf(database.appUrl), { migrates: false }, work);
    expect([received, process.exitCode]).toEqual(['There is no key yet.\n', 1]);
  });

  it('prints a message if the database cannot be used', async () => {
    const nowhere = 'postgres://unknown:secret@127.0.0.1:1/shipgate';
    await withServiceDatabase(environmentOf(nowhere), { migrates: false }, () => Promise.reject(new Error('never')));
    expect(received).toBe('The database cannot be used: No database listens at 127.0.0.1:1 (DATABASE_URL).\n');
    // A supervisor may try again.
    expect(process.exitCode).toBe(69);
  });

  it('tells a supervisor not to try again if the database rejects the role', async () => {
    const wrong = changeDatabaseUrl(database.appUrl, (url) => (url.password = 'wrong'));
    await withServiceDatabase(environmentOf(wrong), { migrates: false }, () => Promise.reject(new Error('never')));
    expect(received).toContain('rejects the connection');
    expect(process.exitCode).toBe(78);
  });
});
