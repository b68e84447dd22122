import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/** Sums over all workspaces for the metrics: numbers only, no rows of a tenant. */
export class MeasureWorkspaces1790717000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create policy look_up on sync_run for select to shipgate_lookup using (true);
      grant select (org_id, begun_at, finished_at, failure) on sync_run to shipgate_lookup;
      create policy look_up on storage_usage_change for select to shipgate_lookup using (true);
      grant select (org_id, bytes) on storage_usage_change to shipgate_lookup;
      grant select (plan) on organization to shipgate_lookup;

      -- A workspace that never completed a sync counts from the start of its first one.
      create function measure_syncs(moment timestamptz, overdue_seconds double precision)
        returns table (workspaces bigint, oldest_seconds double precision, overdue bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select count(*), extract(epoch from moment - min(synced.at))::double precision,
            count(*) filter (where extract(epoch from moment - synced.at) > overdue_seconds)
          from public.organization o
          cross join lateral (
            select coalesce(max(s.finished_at) filter (where s.failure is null), min(s.begun_at)) as at
            from public.sync_run s where s.org_id = o.org_id) synced
          where o.installation_id is not null and o.suspended_at is null;
        end;
      ${grantLookup('measure_syncs(timestamptz, double precision)')}

      -- A workspace is nearly full above nine tenths of its quota. A quota of null is no limit.
      create function measure_storage(free_quota double precision, pro_quota double precision)
        returns table (used_bytes double precision, nearly_full bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select coalesce(sum(stored.bytes), 0)::double precision,
            count(*) filter (where stored.bytes > 0.9 * case o.plan when 'pro' then pro_quota else free_quota end)
          from public.organization o
          cross join lateral (
            select sum(c.bytes)::double precision as bytes from public.storage_usage_change c where c.org_id = o.org_id) stored;
        end;
      ${grantLookup('measure_storage(double precision, double precision)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function measure_storage(double precision, double precision);
      drop function measure_syncs(timestamptz, double precision);
      revoke select (plan) on organization from shipgate_lookup;
      revoke select (org_id, bytes) on storage_usage_change from shipgate_lookup;
      drop policy look_up on storage_usage_change;
      revoke select (org_id, begun_at, finished_at, failure) on sync_run from shipgate_lookup;
      drop policy look_up on sync_run;
    `);
  }
}
