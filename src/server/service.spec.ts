import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../test/support/database.js';
import { readTestEnvironment } from '../../test/support/read-test-environment.js';
import { changeDatabaseUrl } from '../config/database-url.js';
import { withDedicatedClient } from '../database/dedicated-client.js';
import { testServer } from '../../test/support/test-server.js';
import { keySecret } from '../domain/keys/key-secret.js';
import { findPostmaster } from '../database/embedded/postmaster.js';
import { createLineLogger } from '../observability/logger.js';
import { startService } from './service.js';
import { StartupAbortedError, stopAll } from './shutdown.js';

let folder: string;
let otherServer: Server;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-service-'));
  chmodSync(folder, 0o755);
  otherServer = createServer().listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
});
afterEach(async () => {
  otherServer.close();
  await once(otherServer, 'close');
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the embedded server of this process, or null. */
const server = (): ReturnType<typeof findPostmaster> => findPostmaster(path.join(folder, 'postgres', 'data'));

it('starts nothing if another process uses its port, and says so in one sentence', async () => {
  const lines: string[] = [];
  const log = createLineLogger('info', { write: (line) => void lines.push(line) });
  const { port } = otherServer.address() as AddressInfo;
  const environment = readTestEnvironment({ DATA_DIR: folder, PORT: String(port) });
  await expect(startService(environment, log, new AbortController().signal)).rejects.toThrow(
    `Another process uses port ${port} of 127.0.0.1: stop it, or set PORT to a free port.`,
  );
  expect(server()).toBeNull();
  expect(lines).toEqual([]);
});

describe('an aborted startup', () => {
  const silent = createLineLogger('silent', { write: () => undefined });

  async function abandoned(
    variables: Readonly<Record<string, string>>,
    stopping: AbortSignal,
  ): Promise<StartupAbortedError> {
    try {
      await startService(readTestEnvironment({ DATA_DIR: folder, PORT: '0', ...variables }), silent, stopping);
    } catch (error) {
      if (error instanceof StartupAbortedError) return error;
      throw error;
    }
    throw new Error('the service started although it was aborted');
  }

  it('leaves no server running if the startup is aborted while the database starts', async () => {
    const stop = new AbortController();
    const poll = setInterval(() => server() !== null && stop.abort(), 1);
    const { begun } = await abandoned({}, stop.signal);
    clearInterval(poll);
    expect(await stopAll(begun, silent)).toBe(true);
    expect(server()).toBeNull();
  });

  it('does not continue after an abort before the service starts, and returns the started parts', async () => {
    const testDatabase = await createTestDatabase();
    const { begun, cause } = await abandoned({ DATABASE_URL: testDatabase.appUrl }, AbortSignal.abort());
    expect([begun.map(({ name }) => name), cause]).toEqual([
      ['database', 'embedded database'],
      expect.objectContaining({ name: 'AbortError' }),
    ]);
    expect(await stopAll(begun, silent)).toBe(true);
    await testDatabase.drop();
  });
});

it('answers 503 while the database rejects its password, logs that once, and serves again without a restart', async () => {
  const testDatabase = await createTestDatabase();
  const role = `${testDatabase.name}_app`;
  const asSuperuser = (sql: string): Promise<unknown> =>
    withDedicatedClient(testDatabase.superuserUrl, (client) => client.query(sql));
  await asSuperuser(`create role ${role} login password 'of-the-service' in role shipgate_app;
    alter role ${role} set role shipgate_app;
    alter role ${role} set jit = 'off';
    alter role ${role} set statement_timeout = '15s';
    alter role ${role} set lock_timeout = '5s';
    alter role ${role} set idle_in_transaction_session_timeout = '15s'`);
  const lines: string[] = [];
  const log = createLineLogger('info', { write: (line) => void lines.push(line) });
  const logged = (): readonly Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const DATABASE_URL = changeDatabaseUrl(testDatabase.appUrl, (url) => {
    [url.username, url.password] = [role, 'of-the-service'];
  });
  const environment = readTestEnvironment({ DATABASE_URL, PORT: '0', RATE_LIMITS: 'off' });
  const { url, shutdown } = await startService(environment, log, new AbortController().signal);
  try {
    const gate = (): Promise<Response> =>
      fetch(`${url}/api/milestones/check?repo=acme/api&version=v1`, {
        headers: { authorization: `Bearer ${keySecret('sgk', Buffer.alloc(32))}` },
      });
    const ready = async (): Promise<unknown> => (await fetch(`${url}/api/health/ready`)).json();
    const startedAt = lines.length;
    expect((await gate()).status).toBe(401);

    await asSuperuser(`alter role ${role} password 'another one'`);
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    await sleep(1_200);
    for (const answer of await Promise.all(Array.from({ length: 30 }, gate))) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    }
    expect(await ready()).toEqual({
      error: 'Not ready: database (it rejects the role or its password), migrations, queue.',
    });

    await asSuperuser(`alter role ${role} password 'of-the-service'`);
    while (!logged().some(({ msg }) => msg === 'all required services are available again')) await sleep(50);
    expect((await gate()).status).toBe(401);
    const afterwards = logged().slice(startedAt);
    const outage = 'a required service is unavailable: requests are answered with 503';
    expect(afterwards.filter(({ level }) => level === 'error')).toEqual([expect.objectContaining({ msg: outage })]);
    // The connections end one after another, so the worker may log a warning before the outage is known.
    const warned = afterwards.filter(({ level }) => level === 'warn').map(({ context }) => context);
    expect(warned.filter((context) => context !== 'JobWorker' && context !== 'WorkerHeartbeat')).toEqual([]);
    expect(lines.join('')).not.toContain('of-the-service');
  } finally {
    await stopAll(shutdown, log);
    await testDatabase.drop();
    await withDedicatedClient(testServer().superuserUrl, (client) => client.query(`drop role ${role}`));
  }
});
