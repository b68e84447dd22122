import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTable, tenantTable } from './tenancy-sql.js';

/**
 * Keeps a large report in rows of a megabyte: one value of dozens of them is written to the connection and read from it
 * at once, and everybody else waits meanwhile. What is kept whole stays as it is, and is read as content of one piece.
 */
export class KeepReportsInPieces1790500000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What follows the bytes of the content's own row, in the order of the positions, which have no gaps from 1 on.
      create table report_content_piece (
        org_id uuid not null,
        sha256 text not null,
        position integer not null check (position > 0),
        bytes bytea not null,
        primary key (org_id, sha256, position),
        foreign key (org_id, sha256) references report_content (org_id, sha256)
      );
      alter table report_content_piece alter column bytes set storage external;
      ${tenantTable('report_content_piece')}
      ${grantTable('report_content_piece', 'append-only')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Content is put together again, that of all tenants at once: with row-level security off for the owner meanwhile.
    await runner.query(`
      alter table report_content no force row level security;
      alter table report_content_piece no force row level security;
      update report_content c set bytes = c.bytes || p.rest
      from (select org_id, sha256, string_agg(bytes, ''::bytea order by position) as rest
            from report_content_piece group by org_id, sha256) p
      where p.org_id = c.org_id and p.sha256 = c.sha256;
      drop table report_content_piece;
      alter table report_content force row level security;
    `);
  }
}
