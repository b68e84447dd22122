import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../src/database/dedicated-client.js';
import type { Exchange } from '../github-sim/exchange-observer.js';

const MINUTE_MS = 60_000;
/** What is due at a minute has been done this long after it. */
const SETTLED_MS = 10_000;

/** How often the search for missed deliveries ran, which is due at every minute, beside how often it should have. */
export class ScheduleWatch {
  private readonly runs: number[] = [];

  /** Sees what the service asks of the host: each search begins with the first page of the deliveries. */
  see({ method, path, query }: Exchange): void {
    if (method === 'GET' && path === '/app/hook/deliveries' && query['cursor'] === undefined)
      this.runs.push(Date.now());
  }

  /** As after a minute in which no process ran: whoever starts first makes up for it, and nobody after them. */
  async missAMinute(superuserUrl: string): Promise<void> {
    await this.settled();
    await withClient(superuserUrl, (client) =>
      client.query(
        `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
         values ('find-missed-deliveries', now() - interval '1 hour', date_trunc('minute', now()) - interval '1 minute')`,
      ),
    );
  }

  async report(): Promise<{ readonly schedulesDue: number; readonly schedulesRun: number }> {
    await this.settled();
    const [now, first] = [Date.now(), this.runs[0] ?? 0].map((at) => Math.floor(at / MINUTE_MS)) as [number, number];
    return { schedulesDue: now - first + 1, schedulesRun: this.runs.length };
  }

  private async settled(): Promise<void> {
    const sinceMinute = Date.now() % MINUTE_MS;
    if (sinceMinute < SETTLED_MS) await sleep(SETTLED_MS - sinceMinute);
  }
}
