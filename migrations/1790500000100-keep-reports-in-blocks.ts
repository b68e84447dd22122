import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/**
 * Keeps a large report in rows of a megabyte: one value of dozens of them is written to the connection and read from it
 * at once, and everybody else waits meanwhile. What is kept whole stays as it is, and is read as content of one row.
 */
export class KeepReportsInBlocks1790500000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What follows the bytes of the content's own row, in the order of the positions, which have no gaps from 1 on.
      create table report_content_block (
        org_id uuid not null,
        sha256 text not null,
        position integer not null check (position > 0),
        -- A megabyte or less, deflated by itself (RFC 1951).
        deflated bytea not null,
        primary key (org_id, sha256, position),
        foreign key (org_id, sha256) references report_content (org_id, sha256)
      );
      alter table report_content_block alter column deflated set storage external;
      ${enableTenantIsolation('report_content_block')}
      ${grantToApp('report_content_block', 'append-only')}
    `);
  }

  /** Refuses where there is content in blocks, which SQL cannot put together: none that was acknowledged may be lost. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of all tenants at once, which only who owns the table may: with row-level security off for it meanwhile.
      alter table report_content_block no force row level security;
      do $$ begin
        if exists (select from report_content_block) then
          raise exception 'There are reports in blocks, which would be lost.';
        end if;
      end $$;
      drop table report_content_block;
    `);
  }
}
