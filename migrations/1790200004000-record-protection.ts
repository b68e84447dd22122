import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/** How GitHub itself holds the branches of each repository to the policy. */
export class RecordProtection1790200004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table repository_protection (
        org_id uuid not null,
        repository_id uuid not null,
        -- A new one each time that somebody asks for it: what was found out for an earlier one settles nothing.
        attempt uuid not null,
        status text not null check (status in ('pending', 'active', 'drifted', 'failed', 'advisory')),
        -- What is wrong, or what could not be seen; null where there is nothing to say.
        detail text,
        -- Since when it is so.
        changed_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('repository_protection')}
      ${grantToApp('repository_protection', 'read-write')}
      ${restrictToViewer('repository_protection')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table repository_protection');
  }
}
