import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../measuring/load.js';

// pgbench variables become parameters of a prepared statement, so each insert sends the body.
const SCRIPT = `insert into bare_delivery values (gen_random_uuid()::text, 'push', 1, 1001, :body, 'pending', now());\n`;

/** Returns whether the machine has `pgbench`. The embedded server comes without it. */
export const hasPgbench = (): boolean => spawnSync('pgbench', ['--version'], { stdio: 'ignore' }).status === 0;

/** Inserts the body with `pgbench` on this many connections. It reports no percentiles. */
export async function runPgbench(
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
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const rate = /^tps = ([\d.]+)/m.exec(output)?.[1];
  if (code !== 0 || rate === undefined) throw new Error(`pgbench ended with ${String(code)}: ${output}`);
  return { requestsPerSecond: Number(rate), p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };
}
