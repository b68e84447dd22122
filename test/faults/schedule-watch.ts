import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { Exchange } from '../github-sim/exchange-observer.js';

/** Processes schedule the work of a minute five seconds into it. A busy machine takes longer. */
const PATIENCE_MS = 45_000;
const POLL_INTERVAL_MS = 500;

export interface ScheduleReport {
  readonly schedulesDue: number;
  readonly schedulesRun: number;
  /** Whether a job requested the deliveries from GitHub. Its attempts may fail and be repeated. */
  readonly hasSearched: boolean;
}

/**
 * Records each time that a process takes an interval. The table is in a schema of its own, because the service checks
 * every table in `public`.
 */
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

/** The minutes since the first interval that a process took, and the intervals that were taken. */
const COUNT_INTERVALS = `
  select (extract(epoch from date_trunc('minute', now()) - min(due_at)) / 60)::integer + 1 as due, count(*)::integer as taken
  from schedule_watch.taken`;

/** Counts how often the search for missed deliveries was scheduled, and how often it was due: once a minute. */
export class ScheduleWatch {
  private hasSearched = false;

  /** Observes the calls to GitHub: each search begins with the first page of the deliveries. */
  see({ method, path, query }: Exchange): void {
    if (method === 'GET' && path === '/app/hook/deliveries' && query['cursor'] === undefined) this.hasSearched = true;
  }

  /**
   * Creates the state after a minute in which no process ran. Only the process that starts first schedules the missed
   * work.
   */
  async missAMinute(superuserUrl: string): Promise<void> {
    await withDedicatedClient(superuserUrl, async (client) => {
      await client.query(
        `insert into scheduled_job (name, due_at)
         values ('find-missed-deliveries', date_trunc('minute', now()) - interval '1 minute')`,
      );
      await client.query(WATCH_INTERVALS);
    });
  }

  /**
   * Each minute since the first process started is due once. Waits, because the work of the present minute may not be
   * scheduled yet.
   */
  async report(superuserUrl: string): Promise<ScheduleReport> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_INTERVAL_MS)) {
      const { rows } = await withDedicatedClient(superuserUrl, (client) =>
        client.query<{ due: number | null; taken: number }>(COUNT_INTERVALS),
      );
      const [{ due, taken } = { due: null, taken: 0 }] = rows;
      if (due === taken || Date.now() > deadline) {
        return { schedulesDue: due ?? 1, schedulesRun: taken, hasSearched: this.hasSearched };
      }
    }
  }
}
