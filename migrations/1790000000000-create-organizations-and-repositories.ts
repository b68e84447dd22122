import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** The tenants, and what they govern. */
export class CreateOrganizationsAndRepositories1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table organization (
        org_id uuid primary key,
        github_id bigint not null unique,
        login text not null,
        installation_id bigint unique,
        suspended_at timestamptz,
        plan text not null default 'free' check (plan in ('free', 'pro')),
        created_at timestamptz not null
      );
      ${enableTenantIsolation('organization')}
      ${grantToApp('organization', 'read-write')}

      create table repository (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        github_id bigint not null,
        name text not null,
        -- What a name is looked up by. Stored, because lower() is not leakproof: row-level security would keep the
        -- condition from the index, and every repository of the tenant would be read.
        lower_name text collate "C" not null generated always as (lower(name)) stored,
        private boolean not null,
        default_branch text not null,
        managed_at timestamptz,
        removed_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (org_id, id),
        unique (org_id, github_id)
      );
      create index repository_by_name on repository (org_id, lower_name) where removed_at is null;
      ${enableTenantIsolation('repository')}
      ${grantToApp('repository', 'read-write')}

      grant select (org_id, github_id, login, installation_id, suspended_at) on organization to shipgate_lookup;
      create policy look_up on organization for select to shipgate_lookup using (true);

      create function find_organization_by_owner(owner_github_id bigint)
        returns table (org_id uuid, login text, installation_id bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id, o.login, o.installation_id from public.organization o where o.github_id = owner_github_id;
        end;
      ${grantLookup('find_organization_by_owner(bigint)')}

      create function find_organization_by_installation(installation_github_id bigint)
        returns table (org_id uuid, login text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id, o.login from public.organization o where o.installation_id = installation_github_id;
        end;
      ${grantLookup('find_organization_by_installation(bigint)')}

      create function list_installed_organizations()
        returns table (org_id uuid, login text, installation_id bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id, o.login, o.installation_id from public.organization o
          where o.installation_id is not null and o.suspended_at is null;
        end;
      ${grantLookup('list_installed_organizations()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function list_installed_organizations();
      drop function find_organization_by_installation(bigint);
      drop function find_organization_by_owner(bigint);
      drop table repository, organization;
    `);
  }
}
