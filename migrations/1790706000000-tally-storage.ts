import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants, grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** Counts what is stored for a table that has no counts yet, as `StorageQuota` counts it. */
const TALLY_EVERYTHING = `
  insert into storage_tally (org_id, bytes)
  select org_id, sum(bytes) from (
    select org_id, octet_length(pieces::text) + octet_length(metrics::text) + octet_length(flags::text) + 1024 as bytes
    from evidence
    union all
    select org_id, octet_length(summary::text) + 512 from evidence_report
    union all
    select org_id, octet_length(bytes) from report_content where location is null
    union all
    select c.org_id, (select max(r.size) from evidence_report r where r.org_id = c.org_id and r.sha256 = c.sha256)
    from report_content c where c.location is not null
    union all
    select org_id, octet_length(deflated) from report_content_block
    union all
    select org_id, pg_column_size(verdict) + pg_column_size(inputs) from decision
    union all
    select org_id, octet_length(marks) + octet_length(names) from test_roll
    union all
    select org_id, octet_length(content) from published_evidence) as stored
  group by org_id`;

const STORING = [
  'evidence',
  'evidence_report',
  'report_content',
  'report_content_block',
  'test_roll',
  'published_evidence',
  'decision',
];

/** How many bytes of evidence a workspace stores, so that an upload need not count them. */
export class TallyStorage1790706000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Each row is what an upload added; the bytes of a workspace are the sum of its rows. So uploads do not wait for each other.
      create table storage_tally (
        org_id uuid not null references organization (org_id),
        id bigint generated always as identity,
        bytes bigint not null,
        primary key (org_id, id)
      );
      ${enableTenantIsolation('storage_tally')}
      ${grantToApp('storage_tally', 'read-write')}
    `);
    await runner.query(acrossTenants([...STORING, 'storage_tally'], TALLY_EVERYTHING));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table storage_tally;`);
  }
}
