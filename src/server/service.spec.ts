import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../test/support/database.js';
import { readTestEnvironment } from '../../test/support/read-test-environment.js';
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

it('leaves no database running if it cannot listen', async () => {
  const lines: string[] = [];
  const log = createLineLogger('info', { write: (line) => void lines.push(line) });
  const { port } = otherServer.address() as AddressInfo;
  const environment = readTestEnvironment({ DATA_DIR: folder, PORT: String(port) });
  await expect(startService(environment, log, new AbortController().signal)).rejects.toThrow('EADDRINUSE');
  expect(server()).toBeNull();
  const stopped = lines.flatMap((line) => (JSON.parse(line) as { readonly step?: string }).step ?? []);
  expect(stopped).toEqual(['http and worker', 'database', 'embedded database']);
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
