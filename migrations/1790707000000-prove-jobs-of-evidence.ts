import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants, grantToApp, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

/**
 * Evidence knows the job that brought it: by the check run of an identity token, or by the field `job`. Nothing that an upload
 * said is changed; the new columns are derived from what was stored with it.
 */
export class ProveJobsOfEvidence1790707000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table organization
        -- The installation may read Actions, so that GitHub tells the jobs of a run. False until GitHub has said so.
        add column reads_actions boolean not null
          generated always as (coalesce(granted_permissions ->> 'actions' in ('read', 'write'), false)) stored;

      -- The names of jobs of CI runs, as GitHub told them. A job's id never gets another name: one that runs again has another id.
      create table workflow_job (
        org_id uuid not null,
        repository_id uuid not null,
        id bigint not null,
        name text not null,
        primary key (org_id, repository_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('workflow_job')}
      ${restrictToViewer('workflow_job')}
      ${grantToApp('workflow_job', 'append-only')}

      alter table evidence
        -- Attempts reach 2^53 - 1.
        alter column run_attempt type bigint,
        -- The job that an identity token proves; null where none does. Also of what a process of the version before stores.
        add column check_run_id bigint generated always as (
          case when uploaded_by ->> 'kind' = 'identity_token' then (uploaded_by ->> 'checkRunId')::bigint end) stored,
        -- The job that the upload names; null where it names none. The column job also holds the names of files, which an
        -- earlier version took for a job: it is read by nothing but the index below.
        add column stated_job text,
        -- How many jobs upload to this group in one run, where the upload says it.
        add column job_group text,
        add column job_total smallint check (job_total between 1 and 256),
        add constraint evidence_job_group check ((job_group is null) = (job_total is null));

      ${acrossTenants(
        ['evidence', 'evidence_report'],
        `update evidence e set stated_job = job where job <> ''
           -- A job that is called like its files may have been named by nobody.
           and not coalesce(string_to_array(job, E'\\n') <@ (
             select array_agg(r.name) from evidence_report r where r.org_id = e.org_id and r.evidence_id = e.id), false)`,
      )}

      -- Two jobs of a run that upload the same bytes are two uploads.
      drop index evidence_once_a_job;
      create unique index evidence_once_a_job on evidence
        (org_id, release_id, md5(run_id), run_attempt, md5(job), coalesce(check_run_id, 0), md5(pipeline), sha256)
        where run_id is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index evidence_once_a_job;
      create unique index evidence_once_a_job on evidence
        (org_id, release_id, md5(run_id), run_attempt, md5(job), md5(pipeline), sha256) where run_id is not null;
      alter table evidence
        drop constraint evidence_job_group,
        drop column check_run_id,
        drop column stated_job,
        drop column job_group,
        drop column job_total,
        alter column run_attempt type integer;
      drop table workflow_job;
      alter table organization drop column reads_actions;
    `);
  }
}
