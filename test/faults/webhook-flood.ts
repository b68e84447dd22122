import { createHmac, randomUUID } from 'node:crypto';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { ExampleVariation } from './webhook-examples.js';

const AT_ONCE = 16;

/** Tables whose rows change with every delivery, whatever its target is. */
const OF_DELIVERIES = ['webhook_delivery', 'missed_delivery', 'delivery_scan', 'rate_limit_window'];

/** A service that takes deliveries. */
export interface FloodTarget {
  readonly url: string;
  readonly webhookSecret: string;
  readonly superuserUrl: string;
  /** Resolves when every accepted delivery has been processed. */
  readonly waitUntilIdle: () => Promise<void>;
}

/** Posts payloads, signed like GitHub's, and reports the results. */
export class WebhookFlood {
  constructor(private readonly target: FloodTarget) {}

  /** Posts all of them, some at once, and waits until they were processed. Returns those that were not answered 202. */
  async post(variations: Iterable<ExampleVariation>): Promise<readonly string[]> {
    const refused: string[] = [];
    const queue = variations[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (let next = queue.next(); !next.done; next = queue.next()) {
        const { event, name, payload } = next.value;
        const status = await this.postOne(event, JSON.stringify(payload));
        if (status !== 202) refused.push(`${name}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await this.target.waitUntilIdle();
    return refused;
  }

  /** Deliveries that are dead or pending, and jobs that failed at least once. */
  async troubles(): Promise<readonly string[]> {
    const deliveries = await this.read<{ trouble: string }>(
      `select event || ': ' || status || ' ' || coalesce(last_error, '') as trouble from webhook_delivery
       where status in ('dead', 'pending')`,
    );
    const jobs = await this.read<{ trouble: string }>(
      'select last_error as trouble from graphile_worker.jobs where last_error is not null',
    );
    return [...deliveries, ...jobs].map(({ trouble }) => trouble);
  }

  /** A digest of each table that no delivery changes by itself. */
  async state(): Promise<Readonly<Record<string, string>>> {
    const tables = await this.read<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    const state: Record<string, string> = {};
    for (const { name } of tables.filter((table) => !OF_DELIVERIES.includes(table.name))) {
      const [row] = await this.read<{ digest: string | null }>(
        `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`,
      );
      state[name] = row?.digest ?? '';
    }
    return state;
  }

  private read<Row extends object>(statement: string): Promise<Row[]> {
    return withDedicatedClient(this.target.superuserUrl, async (client) => (await client.query<Row>(statement)).rows);
  }

  private async postOne(event: string, body: string): Promise<number> {
    const { url, webhookSecret } = this.target;
    const response = await fetch(`${url}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
      },
    });
    await response.arrayBuffer();
    return response.status;
  }
}
