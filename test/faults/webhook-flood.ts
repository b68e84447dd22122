import { createHmac, randomUUID } from 'node:crypto';
import type { World } from '../support/world.js';
import type { ExampleVariation, Whom } from './webhook-examples.js';

const AT_ONCE = 16;

/** Tables whose rows come and go with every delivery, whoever it is about. */
const OF_DELIVERIES = ['webhook_delivery', 'missed_delivery', 'delivery_watch', 'rate_window'];

/** Posts payloads, signed as GitHub would, and tells what became of them. */
export class WebhookFlood {
  constructor(private readonly world: World) {}

  /** The installation and a repository that the service knows. */
  async known(repository: { readonly id: number }): Promise<Whom> {
    const [row] = await this.world.asSuperuser<{ id: string }>('select installation_id as id from organization');
    return { installation: { id: Number(row?.id) }, repository: { id: repository.id } };
  }

  /** Posts all of them, some at once, and waits until they were followed; answers those that were not answered 202. */
  async post(variations: Iterable<ExampleVariation>): Promise<readonly string[]> {
    const url = `${await this.world.app.getUrl()}/api/webhook`;
    const refused: string[] = [];
    const queue = variations[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (let next = queue.next(); !next.done; next = queue.next()) {
        const { event, name, payload } = next.value;
        const status = await this.postOne(url, event, JSON.stringify(payload));
        if (status !== 202) refused.push(`${name}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await this.world.settle();
    return refused;
  }

  /** Deliveries that were given up or are stuck, and jobs that failed even once. */
  async troubles(): Promise<readonly string[]> {
    const deliveries = await this.world.asSuperuser<{ trouble: string }>(
      `select event || ': ' || status || ' ' || coalesce(last_error, '') as trouble from webhook_delivery
       where status in ('dead', 'pending')`,
    );
    const jobs = await this.world.asSuperuser<{ trouble: string }>(
      'select last_error as trouble from graphile_worker._private_jobs where last_error is not null',
    );
    return [...deliveries, ...jobs].map(({ trouble }) => trouble);
  }

  /** What the service keeps of workspaces and people, as one digest a table. */
  async state(): Promise<Readonly<Record<string, string>>> {
    const tables = await this.world.asSuperuser<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    const state: Record<string, string> = {};
    for (const { name } of tables.filter((table) => !OF_DELIVERIES.includes(table.name))) {
      const [row] = await this.world.asSuperuser<{ digest: string | null }>(
        `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`,
      );
      state[name] = row?.digest ?? '';
    }
    return state;
  }

  private async postOne(url: string, event: string, body: string): Promise<number> {
    const signature = createHmac('sha256', this.world.githubApp.webhookSecret).update(body).digest('hex');
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
    await response.arrayBuffer();
    return response.status;
  }
}
