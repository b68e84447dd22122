import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * The windows in which all instances together count requests. Whose a request is may be unknown when it is counted, so
 * the table has no tenant; the service's role reaches it through these functions alone. Unlogged: a crash of the
 * database forgets at most a minute of counting, and that is cheaper than a write to the log for every lease.
 */
export class CreateRateLimits1790000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table rate_window (
        key text primary key check (length(key) <= 400),
        window_start timestamptz not null,
        used integer not null check (used >= 0),
        granted integer not null check (granted >= 0)
      ) with (fillfactor = 50);
      grant select, insert, update, delete on rate_window to shipgate_lookup;

      -- One row a key, used again by each window. The upsert's row lock puts instances in line; one that began in an
      -- earlier window and waited counts into the row's newer window instead of opening the old one again.
      create function take_rate_tokens(subject text, quota integer, window_seconds integer, wanted integer)
        returns table (granted integer, used integer, resets_in_ms integer)
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.rate_window as held (key, window_start, used, granted)
          values (
            subject,
            to_timestamp(floor(extract(epoch from clock_timestamp()) / window_seconds) * window_seconds),
            least(wanted, quota),
            least(wanted, quota)
          )
          on conflict (key) do update set
            window_start = greatest(held.window_start, excluded.window_start),
            granted = case
              when held.window_start >= excluded.window_start then greatest(0, least(wanted, quota - held.used))
              else excluded.granted
            end,
            used = case
              when held.window_start >= excluded.window_start then greatest(held.used, least(held.used + wanted, quota))
              else excluded.used
            end
          returning
            held.granted,
            held.used,
            greatest(1, ceil(1000 * extract(epoch from
              held.window_start + make_interval(secs => window_seconds) - clock_timestamp())))::integer;
        end;
      ${grantLookup('take_rate_tokens(text, integer, integer, integer)')}

      create function forget_rate_windows(started_before timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          delete from public.rate_window where window_start < started_before;
        end;
      ${grantLookup('forget_rate_windows(timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function forget_rate_windows(timestamptz);
      drop function take_rate_tokens(text, integer, integer, integer);
      drop table rate_window;
    `);
  }
}
