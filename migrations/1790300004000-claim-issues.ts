import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** Who changes an issue of a release at this moment, and which issues a release had when it was shipped. */
export class ClaimIssues1790300004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table scope_claim (
        org_id uuid not null,
        repository_id uuid not null,
        issue_number integer not null,
        release_id uuid not null,
        -- Another one each time, so that whoever let a claim run out cannot end the next one's.
        holder uuid not null,
        until timestamptz not null,
        primary key (org_id, repository_id, issue_number),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index scope_claim_by_release on scope_claim (org_id, release_id);
      ${enableTenantIsolation('scope_claim')}
      ${grantToApp('scope_claim', 'read-write')}

      -- The issues of the release as they were known then; null for what shipped nothing, and for what was recorded before.
      alter table history_record add column scope jsonb;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table history_record drop column scope;
      drop table scope_claim;
    `);
  }
}
