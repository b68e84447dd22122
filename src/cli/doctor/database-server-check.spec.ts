import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { changeDatabaseUrl } from '../../config/database-url.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import type { Pooler } from '../../database/pooler.js';
import { checkConnections, checkPooler } from './database-server-check.js';

let test: TestDatabase;
let role: string;
/** The URL of a second login role, which works as `shipgate_app`, as the guide for changed passwords describes. */
let secondUrl: string;

const asSuperuser = (sql: string): Promise<unknown> =>
  withDedicatedClient(test.superuserUrl, (client) => client.query(sql));

beforeAll(async () => {
  test = await createTestDatabase();
  role = `${test.name}_app`;
  await asSuperuser(`create role ${role} login password 'second' in role shipgate_app;
    alter role ${role} set role shipgate_app`);
  secondUrl = changeDatabaseUrl(test.appUrl, (url) => {
    [url.username, url.password] = [role, 'second'];
  });
});
afterAll(async () => {
  await asSuperuser(`drop role ${role}`);
  await test.drop();
});

describe('the check of the pooler', () => {
  const SERVER: Pooler = { mode: 'session', canPrepare: true };
  const OLD_POOLER: Pooler = { mode: 'transaction', canPrepare: false };
  const NEW_POOLER: Pooler = { mode: 'transaction', canPrepare: true };
  const STATEMENTS: Pooler = { mode: 'statement', canPrepare: false };

  it.each<[title: string, found: Readonly<Record<string, Pooler>>, results: readonly string[]]>([
    ['only the server', { main: SERVER }, []],
    ['the server in all URLs', { main: SERVER, direct: SERVER, migration: SERVER }, []],
    ['a pooler alone', { main: NEW_POOLER }, ['fail DATABASE_URL leads to one in transaction mode']],
    [
      'a pooler that keeps statements',
      { main: NEW_POOLER, direct: SERVER },
      ['ok it keeps prepared statements, and DATABASE_DIRECT_URL keeps sessions'],
    ],
    [
      'a pooler that keeps no statements',
      { main: OLD_POOLER, direct: SERVER },
      ['warn it keeps no prepared statements, so each statement is planned again'],
    ],
    ['a pooler without transactions', { main: STATEMENTS, direct: SERVER }, ['fail it allows no transactions']],
    [
      'a pooler in the other URLs',
      { main: SERVER, direct: NEW_POOLER, migration: OLD_POOLER },
      [
        'fail DATABASE_DIRECT_URL leads to a pooler that keeps no session',
        'fail DATABASE_MIGRATION_URL leads to a pooler that keeps no session',
      ],
    ],
  ])('reports %s', async (_, found, results) => {
    const urlOf = (name: string): string | null => (found[name] ? `postgres://${name}` : null);
    const environment = {
      databaseUrl: urlOf('main'),
      databaseDirectUrl: urlOf('direct'),
      databaseMigrationUrl: urlOf('migration'),
    };
    const find = (url: string): Promise<Pooler> => Promise.resolve(found[new URL(url).hostname]!);
    const reported = await checkPooler(environment, find);
    expect(reported.map(({ status, message }) => `${status} ${message}`)).toEqual(results);
  });

  it('reports nothing for the embedded database', async () => {
    const environment = { databaseUrl: null, databaseDirectUrl: null, databaseMigrationUrl: null };
    expect(await checkPooler(environment)).toEqual([]);
  });

  it.each([
    ['DATABASE_MIGRATION_URL', 'databaseMigrationUrl'],
    ['DATABASE_DIRECT_URL', 'databaseDirectUrl'],
  ] as const)('names %s and the reason if it cannot be used', async (name, setting) => {
    const environment = { databaseUrl: test.appUrl, databaseDirectUrl: null, databaseMigrationUrl: null };
    const changed = (change: (url: URL) => void): Promise<unknown> =>
      checkPooler({ ...environment, [setting]: changeDatabaseUrl(test.appUrl, change) });
    const failure = (reason: string): object => ({
      status: 'fail',
      of: 'database',
      message: expect.stringMatching(new RegExp(`\\(${name}\\).*${reason}|${reason}.*\\(${name}\\)`)),
      remedy: `Correct ${name}.`,
    });
    expect(await changed((url) => (url.password = 'not-the-password'))).toEqual([
      failure('password authentication failed'),
    ]);
    expect(await changed((url) => (url.pathname = '/none'))).toEqual([failure('"none" does not exist')]);
    expect(await changed((url) => (url.port = '1'))).toEqual([failure('No database listens')]);
    expect(await changed((url) => url.searchParams.set('sslmode', 'require'))).toEqual([
      failure('The server does not support SSL connections'),
    ]);
  });
});

describe('the check of the connections', () => {
  async function check(url: string, directUrl: string | null = null, databasePoolSize = 16): Promise<unknown> {
    const database = await Database.open({ url, directUrl, poolSize: 2 });
    try {
      return await checkConnections(database, { databasePoolSize, databaseDirectUrl: directUrl });
    } finally {
      await database.close();
    }
  }

  it('counts the connection that looks for a failover, and those of the direct URL', async () => {
    expect(await check(test.appUrl)).toEqual([
      expect.objectContaining({ status: 'ok', message: expect.stringMatching(/^each process uses up to 17 of \d+ /) }),
    ]);
    expect(await check(test.appUrl, test.appUrl)).toEqual([
      expect.objectContaining({
        status: 'ok',
        message: expect.stringMatching(
          /^each process uses up to 23 of \d+ connections \(7 of them by DATABASE_DIRECT_URL\)/,
        ),
      }),
    ]);
  });

  it('compares with the limit of the role that logs in, also if its sessions work as another role', async () => {
    await asSuperuser(`alter role ${role} connection limit 20`);
    expect(await check(secondUrl)).toEqual([
      expect.objectContaining({ status: 'warn', message: expect.stringContaining('17 of 20 connections') }),
    ]);
    await asSuperuser(`alter role ${role} connection limit 44`);
    expect(await check(secondUrl)).toEqual([
      expect.objectContaining({
        status: 'ok',
        message: expect.stringContaining('of 44 connections, so 2 processes fit'),
      }),
    ]);
  });
});
