import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testEnvironment } from '../test/support/environment.js';
import { findPostmaster } from './database/embedded/postmaster-file.js';
import { createLineLogger } from './observability/logger.js';
import { startService } from './service.js';

let folder: string;
let neighbour: Server;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-service-'));
  chmodSync(folder, 0o755);
  neighbour = createServer().listen(0, '127.0.0.1');
  await once(neighbour, 'listening');
});
afterEach(async () => {
  neighbour.close();
  await once(neighbour, 'close');
  rmSync(folder, { recursive: true, force: true });
});

it('leaves no database behind where it cannot listen', async () => {
  const lines: string[] = [];
  const log = createLineLogger('info', { write: (line) => void lines.push(line) });
  const { port } = neighbour.address() as AddressInfo;
  const environment = testEnvironment({ DATA_DIR: folder, PORT: String(port) });
  await expect(startService(environment, log)).rejects.toThrow('EADDRINUSE');
  expect(findPostmaster(path.join(folder, 'postgres', 'data'))).toBeNull();
  const stopped = lines.flatMap((line) => (JSON.parse(line) as { readonly step?: string }).step ?? []);
  expect(stopped).toEqual(['http and worker', 'database', 'embedded database']);
});
