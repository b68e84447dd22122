import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ServiceProcess } from './service-process.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the given script as the service. */
function start(service: string): Promise<ServiceProcess> {
  const main = path.join(folder, 'dist/src/main.js');
  mkdirSync(path.dirname(main), { recursive: true });
  writeFileSync(main, service);
  return ServiceProcess.start(folder, {}, path.join(folder, 'service.log'));
}

it('reports at once that a service ended before it listened', async () => {
  await expect(start('process.exit(78)')).rejects.toThrow('the service did not start: it ended with 78; its log is in');
});

it('reports the URL of a service that listens, and stops it', async () => {
  const service = await start(
    `console.log(JSON.stringify({ msg: 'listening', url: 'http://127.0.0.1:1' })); setInterval(() => undefined, 1_000);`,
  );
  expect(service.url).toBe('http://127.0.0.1:1');
  await service.stop();
});
