import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation, grantToApp, restrictToViewer } from './tenancy-sql.js';

/** Which deployments wait for the protection rule, and what the service said about each. */
export class HoldDeployments1790712000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table deployment_hold (
        org_id uuid not null,
        id uuid not null,
        repository_id uuid not null,
        run_id bigint not null,
        -- Null until the run was read. A job that runs again waits anew.
        run_attempt integer,
        environment text not null,
        -- The commit of the run.
        sha text,
        -- The deployments that deliveries named. Others of the run may be held too.
        deployment_github_ids bigint[] not null default '{}',
        requested_at timestamptz not null,
        -- gone: the jobs do not wait any more, without an answer of the service.
        state text not null default 'waiting' check (state in ('waiting', 'approved', 'rejected', 'gone')),
        -- The release and the decision by which it was approved, or is being approved.
        release_id uuid,
        decision_id uuid,
        -- Written before an answer is sent: until the hold ends, GitHub may have taken the answer or not.
        sent_at timestamptz,
        ended_at timestamptz,
        -- The digest of the reasons that were reported last, when, and how often the service reported.
        reported_digest text,
        reported_at timestamptz,
        reports integer not null default 0,
        primary key (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, decision_id) references decision (org_id, id),
        check (state <> 'approved' or (release_id is not null and decision_id is not null and sent_at is not null))
      );
      -- One answer is for all jobs of a run that wait for an environment.
      create unique index deployment_hold_waiting on deployment_hold (org_id, repository_id, run_id, environment)
        where state = 'waiting';
      create index deployment_hold_by_run on deployment_hold (org_id, repository_id, run_id);
      create index deployment_hold_approved on deployment_hold (org_id, repository_id, sha) where state = 'approved';
      ${enableTenantIsolation('deployment_hold')}
      ${grantToApp('deployment_hold', 'read-write')}
      ${restrictToViewer('deployment_hold')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table deployment_hold');
  }
}
