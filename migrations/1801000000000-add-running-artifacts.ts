import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation, grantToApp, restrictToViewer } from './tenancy-sql.js';

/** Adds what runs in the environments of a repository, and the decision by which a deployment of GitHub may run. */
export class AddRunningArtifacts1801000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table running_statement (
        org_id uuid not null,
        id uuid not null,
        repository_id uuid not null,
        environment text not null,
        received_at timestamptz not null,
        stated_at timestamptz,
        constraint running_statement_pkey primary key (org_id, id),
        constraint running_statement_org_id_repository_id_fkey foreign key (org_id, repository_id) references repository (org_id, id)
      );
      create unique index running_statement_of_environment on running_statement (org_id, repository_id, lower(environment));
      create table running_artifact (
        org_id uuid not null,
        statement_id uuid not null,
        repository_id uuid not null,
        name text not null,
        digest text not null,
        first_seen timestamptz not null,
        constraint running_artifact_pkey primary key (org_id, statement_id, name, digest),
        constraint running_artifact_org_id_repository_id_fkey foreign key (org_id, repository_id) references repository (org_id, id),
        constraint running_artifact_org_id_statement_id_fkey foreign key (org_id, statement_id) references running_statement (org_id, id)
      );
      alter table deployment add column open_decision_id uuid;
      alter table deployment add constraint deployment_org_id_open_decision_id_fkey
        foreign key (org_id, open_decision_id) references decision (org_id, id);
      create index deployment_of_open_decision on deployment (org_id, open_decision_id) where open_decision_id is not null;`);
    for (const table of ['running_statement', 'running_artifact']) {
      await runner.query(enableTenantIsolation(table));
      await runner.query(restrictToViewer(table));
      await runner.query(grantToApp(table, 'read-write'));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table deployment drop column open_decision_id;
      drop table running_artifact;
      drop table running_statement;`);
  }
}
