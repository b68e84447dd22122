import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { Exchange } from '../github-sim/exchange-observer.js';

const MINUTE_MS = 60_000;
/** What is due at a minute has been done this long after it. */
const IDLE_MS = 10_000;
/** Processes that start have this long until the minute ends: two minutes that were missed may be made up for by one run. */
const STARTED_WITHIN_MS = 35_000;

export interface ScheduleReport {
  readonly schedulesDue: number;
  readonly schedulesRun: number;
  readonly schedulesNotDone: number;
}

/** Writes down each time that a process takes an interval. Outside of `public`, where the service knows every table. */
const WATCH_INTERVALS = `
  create schema schedule_watch;
  create table schedule_watch.taken (due_at timestamptz not null);
  create function schedule_watch.note() returns trigger language plpgsql security definer as $$
    begin
      insert into schedule_watch.taken values (new.due_at);
      return new;
    end $$;
  create trigger schedule_watch after update on scheduled_job
    for each row when (new.name = 'find-missed-deliveries') execute function schedule_watch.note()`;

/** How often the search for missed deliveries was scheduled, which is due at every minute, beside how often it should have been. */
export class ScheduleWatch {
  private searches = 0;
  private missedAt = 0;

  /** Observes the calls to GitHub: each search begins with the first page of the deliveries. */
  see({ method, path, query }: Exchange): void {
    if (method === 'GET' && path === '/app/hook/deliveries' && query['cursor'] === undefined) this.searches += 1;
  }

  /** As after a minute in which no process ran: the process that starts first schedules the missed work, and no other. */
  async missAMinute(superuserUrl: string): Promise<void> {
    await this.waitUntilIdle(MINUTE_MS - STARTED_WITHIN_MS);
    this.missedAt = Date.now();
    await withDedicatedClient(superuserUrl, async (client) => {
      await client.query(
        `insert into scheduled_job (name, due_at)
         values ('find-missed-deliveries', date_trunc('minute', now()) - interval '1 minute')`,
      );
      await client.query(WATCH_INTERVALS);
    });
  }

  /** A job whose attempt failed searches again, so there may be more searches than runs, but not fewer. */
  async report(superuserUrl: string): Promise<ScheduleReport> {
    await this.waitUntilIdle();
    const schedulesDue = Math.floor(Date.now() / MINUTE_MS) - Math.floor(this.missedAt / MINUTE_MS) + 1;
    const { rows } = await withDedicatedClient(superuserUrl, (client) =>
      client.query<{ taken: number }>('select count(*)::integer as taken from schedule_watch.taken'),
    );
    return {
      schedulesDue,
      schedulesRun: rows[0]?.taken ?? 0,
      schedulesNotDone: Math.max(0, schedulesDue - this.searches),
    };
  }

  private async waitUntilIdle(latestMs = MINUTE_MS): Promise<void> {
    const sinceMinute = Date.now() % MINUTE_MS;
    if (sinceMinute > latestMs) await sleep(MINUTE_MS - sinceMinute + IDLE_MS);
    else if (sinceMinute < IDLE_MS) await sleep(IDLE_MS - sinceMinute);
  }
}
