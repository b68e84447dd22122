import { randomUUID } from 'node:crypto';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { Measurement } from '../measuring/load.js';
import { quantile } from '../measuring/quantile.js';
import { KEEP_BARE } from './bare-inbox.js';

/** Inserts the body from so many connections, each as soon as its last one is on disk: what this process's driver can do. */
export async function insertFor(
  databaseUrl: string,
  body: string,
  connections: number,
  durationMs: number,
): Promise<Measurement> {
  const end = performance.now() + durationMs;
  const latencies: number[] = [];
  const insert = (): Promise<void> =>
    withDedicatedClient(databaseUrl, async (client) => {
      for (let sent = performance.now(); sent < end;) {
        await client.query({ name: 'keep', text: KEEP_BARE, values: [randomUUID(), 'push', body] });
        const kept = performance.now();
        latencies.push(kept - sent);
        sent = kept;
      }
    });
  await Promise.all(Array.from({ length: connections }, insert));
  latencies.sort((one, other) => one - other);
  return {
    requestsPerSecond: latencies.length / (durationMs / 1_000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}
