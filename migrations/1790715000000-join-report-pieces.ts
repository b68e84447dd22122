import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants } from './tenancy-sql.js';

/** The most bytes of one block of DEFLATE that stores bytes without compression (RFC 1951 § 3.2.4). */
const STORED_BYTES = 65_535;

/** A number as two bytes, the least significant first, which is the order of RFC 1951. */
const twoBytes = (number: string): string =>
  `set_byte(set_byte('\\x0000'::bytea, 0, (${number}) & 255), 1, (${number}) >> 8)`;

/** The bytes of a piece as a stream of DEFLATE, which SQL cannot compress: blocks that store them, the last one marked. */
const STORED = `(
  select string_agg(
    case when part = (octet_length(bytes) - 1) / ${STORED_BYTES} then '\\x01'::bytea else '\\x00'::bytea end
      || ${twoBytes('octet_length(chunk)')} || ${twoBytes('65535 - octet_length(chunk)')} || chunk, ''::bytea order by part)
  from generate_series(0, (octet_length(bytes) - 1) / ${STORED_BYTES}) part,
    lateral (select substring(bytes from part * ${STORED_BYTES} + 1 for ${STORED_BYTES}) as chunk) cut)`;

/** Moves the pieces, and counts them as stored, because only blocks were counted. */
const moveFrom = (content: string): string =>
  acrossTenants(
    ['report_content_block', 'report_content_piece', 'storage_usage_change'],
    `with moved as (
       insert into report_content_block (org_id, sha256, position, deflated)
       select org_id, sha256, position, ${content} from report_content_piece
       on conflict do nothing returning org_id, octet_length(deflated) as bytes
     )
     insert into storage_usage_change (org_id, bytes) select org_id, sum(bytes) from moved group by org_id`,
  );

/**
 * Makes blocks of the pieces of reports. The migration `KeepReportsInPieces` ran for a time and was then renamed, with its table, to
 * `KeepReportsInBlocks`. A database with the former one has a second table, which no later version reads. For minutes the pieces were
 * not compressed, in a column `bytes`.
 */
export class JoinReportPieces1790715000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      do $repair$ begin
        if to_regclass('public.report_content_piece') is null then return; end if;
        if exists (select from pg_attribute where attrelid = 'public.report_content_piece'::regclass and attname = 'bytes') then
          ${moveFrom(STORED)}
        else
          ${moveFrom('deflated')}
        end if;
        drop table report_content_piece;
        delete from schema_migration where name = 'KeepReportsInPieces1790500000100';
      end $repair$`);
  }

  /** The blocks stay, because every version that this migration can be reverted to reads them. */
  async down(): Promise<void> {}
}
