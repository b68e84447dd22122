import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation, grantToApp, restrictToViewer } from './tenancy-sql.js';

/** Whether the environment that a repository deploys to has the protection rule of the service. */
export class WatchProtectionRules1790712000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table protection_rule (
        org_id uuid not null,
        repository_id uuid not null,
        environment text not null,
        -- missing: it was taken off. advisory: the plan of the organization has no such rules.
        status text not null check (status in ('active', 'missing', 'advisory')),
        -- Null if GitHub does not tell.
        admins_may_bypass boolean,
        changed_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('protection_rule')}
      ${grantToApp('protection_rule', 'read-write')}
      ${restrictToViewer('protection_rule')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table protection_rule');
  }
}
