import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation, grantToApp, restrictToReleaseViewer } from './tenancy-sql.js';

/** Adds the soaks of candidates in environments, and since when and in which moments the facts about deployments are known. */
export class AddEnvironmentSoaks1798000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table observation
        add column known_since timestamptz,
        add column known_until timestamptz,
        add column moments jsonb`);
    await runner.query(`
      create table completed_soak (
        org_id uuid not null,
        release_id uuid not null,
        environment text not null,
        commit_sha text not null,
        began_at timestamptz not null,
        ended_at timestamptz not null,
        constraint completed_soak_pkey primary key (org_id, release_id, environment, commit_sha, began_at, ended_at),
        constraint completed_soak_order check (began_at <= ended_at),
        constraint completed_soak_org_id_release_id_fkey foreign key (org_id, release_id)
          references release (org_id, id)
      )`);
    await runner.query(enableTenantIsolation('completed_soak'));
    await runner.query(restrictToReleaseViewer('completed_soak'));
    await runner.query(grantToApp('completed_soak', 'append-only'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table completed_soak');
    await runner.query('alter table observation drop column known_since, drop column known_until, drop column moments');
  }
}
