import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { Exchange } from '../github-sim/exchange-observer.js';

const MINUTE_MS = 60_000;
/** What is due at a minute has been done this long after it. */
const IDLE_MS = 10_000;
/** Processes that start have this long until the minute ends: two minutes that were missed may be made up for by one run. */
const STARTED_WITHIN_MS = 35_000;

/** How often the search for missed deliveries ran, which is due at every minute, beside how often it should have. */
export class ScheduleWatch {
  private runs = 0;
  private missedAt = 0;

  /** Observes the calls to GitHub: each search begins with the first page of the deliveries. */
  see({ method, path, query }: Exchange): void {
    if (method === 'GET' && path === '/app/hook/deliveries' && query['cursor'] === undefined) this.runs += 1;
  }

  /** As after a minute in which no process ran: the process that starts first does the missed work, and no other. */
  async missAMinute(superuserUrl: string): Promise<void> {
    await this.waitUntilIdle(MINUTE_MS - STARTED_WITHIN_MS);
    this.missedAt = Date.now();
    await withDedicatedClient(superuserUrl, (client) =>
      client.query(
        `insert into scheduled_job (name, due_at)
         values ('find-missed-deliveries', date_trunc('minute', now()) - interval '1 minute')`,
      ),
    );
  }

  async report(): Promise<{ readonly schedulesDue: number; readonly schedulesRun: number }> {
    await this.waitUntilIdle();
    const minutes = Math.floor(Date.now() / MINUTE_MS) - Math.floor(this.missedAt / MINUTE_MS);
    return { schedulesDue: minutes + 1, schedulesRun: this.runs };
  }

  private async waitUntilIdle(latestMs = MINUTE_MS): Promise<void> {
    const sinceMinute = Date.now() % MINUTE_MS;
    if (sinceMinute > latestMs) await sleep(MINUTE_MS - sinceMinute + IDLE_MS);
    else if (sinceMinute < IDLE_MS) await sleep(IDLE_MS - sinceMinute);
  }
}
