import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/**
 * Which workflow files the service ever published, and which repository has which. What is published is the same for
 * every workspace, so it belongs to none.
 */
export class PublishWorkflows1790200003100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table published_workflow (
        path text not null,
        -- The name that git gives to the content.
        blob_sha text not null check (blob_sha ~ '^[0-9a-f]{40}$'),
        -- The first revision that it was part of.
        revision text not null,
        published_at timestamptz not null,
        primary key (path, blob_sha)
      );
      -- A record of the past: what was published once is intact for ever.
      grant select, insert on published_workflow to shipgate_lookup;

      create function publish_workflows(paths text[], blob_shas text[], revision text, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.published_workflow (path, blob_sha, revision, published_at)
          select file.path, file.blob_sha, publish_workflows.revision, at
          from unnest(paths, blob_shas) as file (path, blob_sha)
          on conflict (path, blob_sha) do nothing;
        end;
      ${grantLookup('publish_workflows(text[], text[], text, timestamptz)')}

      create function find_published_workflow(wanted_path text, wanted_blob_sha text)
        returns table (revision text, published_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select p.revision, p.published_at from public.published_workflow p
          where p.path = wanted_path and p.blob_sha = wanted_blob_sha;
        end;
      ${grantLookup('find_published_workflow(text, text)')}

      create table workflow_installation (
        org_id uuid not null,
        repository_id uuid not null,
        installed_revision text not null,
        -- The repository's CI is its own, and only the enforcement file is the service's.
        custom_ci boolean not null,
        installed_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('workflow_installation')}
      ${grantToApp('workflow_installation', 'read-write')}
      ${restrictToViewer('workflow_installation')}

      -- The pull request by which a repository is brought up to date, until it is merged or closed.
      create table workflow_update (
        org_id uuid not null,
        repository_id uuid not null,
        pull_number integer not null check (pull_number > 0),
        pull_url text not null,
        branch text not null,
        revision text not null,
        opened_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('workflow_update')}
      ${grantToApp('workflow_update', 'read-write')}
      ${restrictToViewer('workflow_update')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table workflow_update, workflow_installation;
      drop function find_published_workflow(text, text);
      drop function publish_workflows(text[], text[], text, timestamptz);
      drop table published_workflow;
    `);
  }
}
