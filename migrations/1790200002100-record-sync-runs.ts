import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/** How the workspaces are brought in line with the code host, and when that last worked for each repository. */
export class RecordSyncRuns1790200002100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sync_run (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        begun_at timestamptz not null,
        -- When it was known which repositories it is about; null while the installation itself is being read.
        listed_at timestamptz,
        finished_at timestamptz,
        -- Why the installation itself could not be read; null where it could.
        failure text,
        primary key (org_id, id)
      );
      create unique index sync_run_under_way on sync_run (org_id) where finished_at is null;
      create index sync_run_by_time on sync_run (org_id, begun_at);
      ${enableTenantIsolation('sync_run')}
      ${grantToApp('sync_run', 'read-write')}

      create table repository_sync (
        org_id uuid not null,
        repository_id uuid not null,
        -- The run that was last about it.
        run_id uuid,
        status text not null check (status in ('waiting', 'done', 'failed')),
        -- Why it failed last; null where it did not.
        detail text,
        -- When the host was last asked for all of it, and answered.
        synced_at timestamptz,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, run_id) references sync_run (org_id, id) on delete set null (run_id)
      );
      create index repository_sync_by_run on repository_sync (org_id, run_id);
      ${enableTenantIsolation('repository_sync')}
      ${grantToApp('repository_sync', 'read-write')}
      ${restrictToViewer('repository_sync')}

      -- Deliveries of one installation that were given up, by what they are about: who may not read a repository is not
      -- told of them either.
      create function count_dead_webhooks(installation bigint)
        returns table (repository_github_id bigint, deliveries bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select d.repository_github_id, count(*) from public.webhook_delivery d
          where d.status = 'dead' and d.installation_id = installation group by d.repository_github_id;
        end;
      ${grantLookup('count_dead_webhooks(bigint)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function count_dead_webhooks(bigint);
      drop table repository_sync, sync_run;
    `);
  }
}
