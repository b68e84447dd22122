import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** The tests of reports by name, and what became of those of a release. */
export class KeepTestRolls1790400002100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of a report by its digest, however often that is uploaded; in parts, so that a name is found without all others.
      create table test_roll (
        org_id uuid not null references organization (org_id),
        sha256 text not null,
        part integer not null,
        tests integer not null,
        -- Whether the report's roll holds all of its tests.
        complete boolean not null,
        -- Eight bytes a test: what its name is known by, and how it ended. Names in the same order, as compressed JSON.
        marks bytea not null,
        names bytea not null,
        primary key (org_id, sha256, part)
      );
      alter table test_roll alter column marks set storage external, alter column names set storage external;
      ${enableTenantIsolation('test_roll')}
      ${grantToApp('test_roll', 'append-only')}

      create table test_comparison (
        org_id uuid not null,
        release_id uuid not null,
        repository_id uuid not null,
        -- What was compared: where that is other than what there is now, the result says nothing.
        basis text not null,
        result jsonb not null,
        compared_at timestamptz not null,
        primary key (org_id, release_id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('test_comparison')}
      ${grantToApp('test_comparison', 'read-write')}
      create policy viewer on test_comparison as restrictive for select to shipgate_app using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table test_comparison, test_roll;`);
  }
}
