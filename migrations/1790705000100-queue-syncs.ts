import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** The run that follows the one under way in a workspace, with all that was asked for since that one began. */
export class QueueSyncs1790705000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One may begin in the millisecond in which another one ended.
      alter table sync_run add column number bigint generated always as identity;

      create table sync_follow_up (
        org_id uuid primary key references organization (org_id),
        -- Of the run that it becomes.
        id uuid not null,
        -- Null is the whole workspace.
        repository_ids uuid[],
        asked_at timestamptz not null
      );
      ${enableTenantIsolation('sync_follow_up')}
      ${grantToApp('sync_follow_up', 'read-write')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sync_follow_up; alter table sync_run drop column number');
  }
}
