/** Measures the time from the start of the service to `listening`, with a new and with an existing embedded database. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { median } from './measuring/median.js';

const ROUNDS = process.argv.includes('--quick') ? 1 : 5;
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** Starts the service with a folder and stops it as soon as it serves. Returns the seconds until then. */
async function start(folder: string): Promise<number> {
  const begin = performance.now();
  const service = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await listening(service);
  const seconds = (performance.now() - begin) / 1_000;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`The service ended with ${String(code)}.`);
  return seconds;
}

async function listening({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new TypeError('The service has no stdout.');
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout })
      .on('line', (line) => {
        lines.push(line);
        if ((JSON.parse(line) as { msg?: string }).msg === 'listening') resolve();
      })
      .once('close', () => reject(new Error(`The service did not listen. Its output:\n${lines.join('\n')}`)));
  });
}

const cold: number[] = [];
const warm: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const folder = mkdtempSync(join(tmpdir(), 'shipgate-startup-'));
  // If this process is root, the database runs as another account, which needs access.
  chmodSync(folder, 0o755);
  try {
    cold.push(await start(folder));
    warm.push(await start(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`\nstart to listening, new database       ${median(cold).toFixed(2)} s  (target: under 10 s)`);
console.log(`start to listening, existing database  ${median(warm).toFixed(2)} s  (target: under 3 s)`);
