import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** Who did what in a workspace: only ever added to, each entry sealed by a digest over itself and the one before it. */
export class CreateAuditLog1790100000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_entry (
        org_id uuid not null references organization (org_id),
        -- 1, 2, 3, … without a gap in each workspace.
        sequence bigint not null check (sequence > 0),
        id uuid not null,
        at timestamptz not null,
        actor jsonb not null,
        action text not null,
        subject text not null,
        data jsonb not null,
        previous_hash text not null,
        hash text not null,
        primary key (org_id, sequence),
        unique (org_id, id)
      );
      ${enableTenantIsolation('audit_entry')}
      ${grantToApp('audit_entry', 'append-only')}

      -- Also of those that have removed the app: what happened in a workspace outlives it.
      create function list_organizations()
        returns table (org_id uuid, login text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id, o.login from public.organization o order by o.login, o.org_id;
        end;
      ${grantLookup('list_organizations()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function list_organizations();
      drop table audit_entry;
    `);
  }
}
