import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../measuring/load.js';

// Its own variables become parameters of a prepared statement, so the body travels with each insert.
const SCRIPT = `insert into bare_delivery values (gen_random_uuid()::text, 'push', 1, 1001, :body, 'pending', now());\n`;

/** Whether the machine has Postgres's own load generator; the embedded server comes without it. */
export const hasPgbench = (): boolean => spawnSync('pgbench', ['--version'], { stdio: 'ignore' }).status === 0;

/** Lets it insert the body from so many connections. It tells of no percentiles. */
export async function pgbenchFor(
  databaseUrl: string,
  folder: string,
  body: string,
  connections: number,
  durationMs: number,
): Promise<Measurement> {
  const script = join(folder, 'insert.sql');
  writeFileSync(script, SCRIPT);
  const options = {
    client: connections,
    file: script,
    time: Math.ceil(durationMs / 1_000),
    define: `body=${body}`,
  };
  const child = spawn(
    'pgbench',
    [
      '--no-vacuum',
      '--protocol=prepared',
      '--jobs=2',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      databaseUrl,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const rate = /^tps = ([\d.]+)/m.exec(said)?.[1];
  if (code !== 0 || rate === undefined) throw new Error(`pgbench ended with ${String(code)}: ${said}`);
  return { requestsPerSecond: Number(rate), p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };
}
