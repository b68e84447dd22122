import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** Evidence as it was uploaded: never changed, its files kept once a workspace under their own digest. */
export class CreateEvidence1790000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table evidence (
        org_id uuid not null,
        id uuid not null,
        sequence bigint generated always as identity,
        release_id uuid not null,
        repository_id uuid not null,
        pipeline text not null,
        environment text not null,
        job text not null,
        run_id text,
        run_attempt integer not null default 1,
        run_url text,
        commit_sha text not null,
        -- Who named the commit: the run's own token, the body of the upload, or what was observed when it arrived.
        commit_source text not null check (commit_source in ('token', 'body', 'observed')),
        uploaded_by jsonb not null,
        pieces jsonb not null,
        metrics jsonb not null,
        reports jsonb not null,
        flags jsonb not null,
        sha256 text not null,
        received_at timestamptz not null,
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      create index evidence_by_release on evidence (org_id, release_id, sequence);
      create unique index evidence_once_a_job on evidence
        (org_id, release_id, run_id, run_attempt, job, pipeline, sha256) where run_id is not null;
      ${enableTenantIsolation('evidence')}
      ${grantToApp('evidence', 'append-only')}

      create table report_content (
        org_id uuid not null references organization (org_id),
        sha256 text not null,
        bytes bytea not null,
        primary key (org_id, sha256)
      );
      alter table report_content alter column bytes set storage external;
      ${enableTenantIsolation('report_content')}
      ${grantToApp('report_content', 'append-only')}

      create table evidence_report (
        org_id uuid not null,
        id uuid not null,
        evidence_id uuid not null,
        name text not null,
        format text not null,
        sha256 text not null,
        size integer not null,
        summary jsonb not null,
        primary key (org_id, id),
        foreign key (org_id, evidence_id) references evidence (org_id, id),
        foreign key (org_id, sha256) references report_content (org_id, sha256)
      );
      create index evidence_report_by_evidence on evidence_report (org_id, evidence_id);
      ${enableTenantIsolation('evidence_report')}
      ${grantToApp('evidence_report', 'append-only')}

      create table identity_token_use (
        org_id uuid not null,
        jti text not null,
        body_sha256 text not null,
        evidence_id uuid not null,
        used_at timestamptz not null,
        primary key (org_id, jti, body_sha256),
        foreign key (org_id, evidence_id) references evidence (org_id, id)
      );
      ${enableTenantIsolation('identity_token_use')}
      ${grantToApp('identity_token_use', 'read-write')}

      create table idempotent_upload (
        org_id uuid not null,
        caller text not null,
        idempotency_key text not null,
        body_sha256 text not null,
        evidence_id uuid not null,
        created_at timestamptz not null,
        primary key (org_id, caller, idempotency_key),
        foreign key (org_id, evidence_id) references evidence (org_id, id)
      );
      ${enableTenantIsolation('idempotent_upload')}
      ${grantToApp('idempotent_upload', 'read-write')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table idempotent_upload, identity_token_use, evidence_report, report_content, evidence;`);
  }
}
