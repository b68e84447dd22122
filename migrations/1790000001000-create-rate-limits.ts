import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The windows in which all instances together count requests. Unlogged: a crash of the database forgets at most a
 * minute of counting, and a limit is not worth a write to the log of every lease.
 */
export class CreateRateLimits1790000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table rate_window (
        key text primary key check (length(key) <= 400),
        window_start timestamptz not null,
        used integer not null check (used >= 0),
        granted integer not null check (granted >= 0)
      ) with (fillfactor = 50)
    `);
    await runner.query('create index rate_window_by_start on rate_window (window_start)');
    await runner.query('revoke all on rate_window from public');
    await runner.query('grant select, insert, update, delete on rate_window to shipgate_lookup');

    // One row a key, reused by each window: the upsert's row lock puts instances in line, and a statement that began
    // in an earlier window and waited counts into the row's newer one instead of reopening the old.
    await runner.query(`
      create function take_rate_tokens(subject text, quota integer, window_seconds integer, wanted integer)
      returns table (granted integer, used integer, resets_in_ms integer)
      language sql volatile security definer set search_path = pg_catalog, public, pg_temp
      as $$
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
            held.window_start + make_interval(secs => window_seconds) - clock_timestamp())))::integer
      $$
    `);
    await runner.query(`
      create function forget_rate_windows(older_than interval)
      returns bigint
      language sql volatile security definer set search_path = pg_catalog, public, pg_temp
      as $$
        with forgotten as (
          delete from public.rate_window where window_start < clock_timestamp() - older_than returning 1
        )
        select count(*) from forgotten
      $$
    `);
    for (const signature of ['take_rate_tokens(text, integer, integer, integer)', 'forget_rate_windows(interval)']) {
      await runner.query(`alter function ${signature} owner to shipgate_lookup`);
      await runner.query(`revoke all on function ${signature} from public`);
      await runner.query(`grant execute on function ${signature} to shipgate_app`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function forget_rate_windows(interval)');
    await runner.query('drop function take_rate_tokens(text, integer, integer, integer)');
    await runner.query('drop table rate_window');
  }
}
