import { randomUUID } from 'node:crypto';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { Measurement } from '../measuring/load.js';
import { quantile } from '../measuring/quantile.js';
import { INSERT_BARE } from './bare-inbox.js';

/** Inserts the body on this many connections, each after the insert before is on disk. It shows the limit of the driver. */
export async function runInserts(
  databaseUrl: string,
  body: string,
  connections: number,
  durationMs: number,
): Promise<Measurement> {
  const end = performance.now() + durationMs;
  const latencies: number[] = [];
  const insert = (): Promise<void> =>
    withDedicatedClient(databaseUrl, async (client) => {
      for (let sentAt = performance.now(); sentAt < end;) {
        await client.query({ name: 'keep', text: INSERT_BARE, values: [randomUUID(), 'push', body] });
        const savedAt = performance.now();
        latencies.push(savedAt - sentAt);
        sentAt = savedAt;
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
