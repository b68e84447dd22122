import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/** How far the set-up of each repository went, and what the app was granted in each organization. */
export class RecordRepositorySetup1790200003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- By GitHub's names; null until it was read.
      alter table organization add column granted_permissions jsonb;

      create table repository_setup (
        org_id uuid not null,
        repository_id uuid not null,
        -- A new one for each bootstrap that begins: what an earlier one still does is not of the later.
        attempt uuid not null,
        step text not null check (step in
          ('opening', 'pr_open', 'closed', 'merged', 'protection_pending', 'protection_failed', 'complete')),
        requested_by bigint not null,
        begun_at timestamptz not null,
        -- Whether the bootstrap took the repository's place in the plan, and so gives it back where it comes to nothing.
        took_place boolean not null,
        pull_number integer,
        pull_url text,
        -- Why it came to nothing; null where it did not.
        detail text,
        changed_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('repository_setup')}
      ${grantToApp('repository_setup', 'read-write')}
      ${restrictToViewer('repository_setup')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table repository_setup;
      alter table organization drop column granted_permissions;
    `);
  }
}
