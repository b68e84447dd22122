import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * One row that the readiness of each process updates, because a database that answers may still accept no writes. After
 * an error of a full disk the update also stores a filler, which needs new space. It is not compressed.
 */
export class ProbeWrites1790714000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table write_probe (
        only_row boolean primary key default true check (only_row),
        probed_at timestamptz not null,
        filler text
      ) with (fillfactor = 50);
      alter table write_probe alter column filler set storage external;
      grant select, insert, update on write_probe to shipgate_lookup;

      create function probe_write(needs_space boolean)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.write_probe as held (probed_at, filler)
          values (clock_timestamp(), case when needs_space then repeat('x', 131072) end)
          on conflict (only_row) do update set probed_at = excluded.probed_at, filler = excluded.filler;
        end;
      ${grantLookup('probe_write(boolean)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function probe_write(boolean);
      drop table write_probe;
    `);
  }
}
