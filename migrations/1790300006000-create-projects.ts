import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/** What people gather of several repositories, because it is to be released together. */
export class CreateProjects1790300006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table project (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        name text not null,
        -- What both are compared and searched by. The service writes it: what the database takes for lower case depends
        -- on its locale.
        lower_name text collate "C" not null,
        description text,
        lower_description text collate "C",
        target_date date,
        created_at timestamptz not null,
        -- When its details or its repositories last changed; what becomes of their releases does not count.
        updated_at timestamptz not null,
        primary key (org_id, id),
        unique (org_id, lower_name),
        check ((description is null) = (lower_description is null))
      );
      create index project_by_update on project (org_id, updated_at desc, id);
      ${enableTenantIsolation('project')}
      ${grantToApp('project', 'read-write')}

      create table project_repository (
        org_id uuid not null,
        project_id uuid not null,
        repository_id uuid not null,
        -- Of that repository; null as long as nobody has said which.
        release_id uuid,
        primary key (org_id, project_id, repository_id),
        foreign key (org_id, project_id) references project (org_id, id) on delete cascade,
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      ${enableTenantIsolation('project_repository')}
      ${grantToApp('project_repository', 'read-write')}
      ${restrictToViewer('project_repository')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table project_repository, project;');
  }
}
