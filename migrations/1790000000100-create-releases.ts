import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** Releases, what was observed of them, and the records of what became of them. */
export class CreateReleases1790000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table release (
        org_id uuid not null,
        id uuid not null,
        repository_id uuid not null,
        version text not null,
        milestone_github_id bigint not null,
        milestone_number integer not null,
        title text not null,
        milestone_url text not null,
        due_on timestamptz,
        stage text not null default 'PLANNING'
          check (stage in ('PLANNING', 'DEVELOPMENT', 'TESTING', 'EVIDENCING', 'DEPLOYMENT', 'DEPLOYED')),
        unmet jsonb not null default '[]',
        blocking jsonb not null default '[]',
        warnings jsonb not null default '[]',
        -- The facts that the last evaluation rested on, as kind:key.
        consulted text[] not null default '{}',
        candidate_sha text,
        candidate_shas text[] not null default '{}',
        tests_passing boolean not null default false,
        evidence_approved boolean not null default false,
        -- Until when the gate stands open by what was observed. Null is closed: time alone can only close a gate.
        open_until timestamptz,
        -- Until when the facts behind this row are fresh.
        valid_until timestamptz not null default '-infinity',
        verdict_digest text,
        hotfix boolean not null default false,
        started_at timestamptz,
        started_by text,
        cancelled_at timestamptz,
        deleted_at timestamptz,
        shipped_at timestamptz,
        shipped jsonb,
        evaluated_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        unique (org_id, repository_id, milestone_github_id)
      );
      create unique index release_by_version on release (org_id, repository_id, version) where deleted_at is null;
      create index release_by_milestone on release (org_id, repository_id, milestone_number);
      -- A repository has one organization. Not knowing that, the planner expects a repository to have a single release,
      -- takes any index that begins with the two for as good as the one by version, and reads all of its releases. It
      -- does not ask these statistics of a partial index, so that only the index which is to win may be one.
      create statistics release_by_repository (dependencies) on org_id, repository_id from release;
      ${enableTenantIsolation('release')}
      ${grantToApp('release', 'read-write')}

      create table ignored_milestone (
        org_id uuid not null,
        repository_id uuid not null,
        milestone_github_id bigint not null,
        number integer not null,
        title text not null,
        reason text not null,
        seen_at timestamptz not null,
        primary key (org_id, repository_id, milestone_github_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('ignored_milestone')}
      ${grantToApp('ignored_milestone', 'read-write')}

      create table observation (
        org_id uuid not null,
        repository_id uuid not null,
        kind text not null,
        key text not null,
        value jsonb not null,
        observed_at timestamptz not null,
        primary key (org_id, repository_id, kind, key),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('observation')}
      ${grantToApp('observation', 'read-write')}

      create table stage_transition (
        org_id uuid not null,
        id bigint generated always as identity,
        release_id uuid not null,
        from_stage text,
        to_stage text not null,
        cause text not null,
        actor text not null,
        at timestamptz not null,
        input_digest text not null,
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index stage_transition_by_release on stage_transition (org_id, release_id, id);
      ${enableTenantIsolation('stage_transition')}
      ${grantToApp('stage_transition', 'append-only')}

      create table decision (
        org_id uuid not null,
        id uuid not null,
        sequence bigint generated always as identity,
        release_id uuid not null,
        at timestamptz not null,
        open boolean not null,
        candidate_sha text,
        policy_digest text,
        verdict jsonb not null,
        inputs jsonb not null,
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index decision_by_release on decision (org_id, release_id, sequence desc);
      ${enableTenantIsolation('decision')}
      ${grantToApp('decision', 'append-only')}

      create table evidence_pull (
        org_id uuid not null,
        id uuid not null,
        release_id uuid not null,
        repository_id uuid not null,
        number integer not null,
        url text not null,
        branch text not null,
        base_ref text not null,
        head_sha text not null,
        -- Every commit that the service itself put on the branch: anyone else's voids the approval.
        commit_shas text[] not null,
        files jsonb not null,
        candidate_sha text not null,
        set_digest text not null,
        merge_approval jsonb,
        opened_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        unique (org_id, repository_id, number)
      );
      create index evidence_pull_by_release on evidence_pull (org_id, release_id, opened_at desc);
      ${enableTenantIsolation('evidence_pull')}
      ${grantToApp('evidence_pull', 'read-write')}

      create table deployment (
        org_id uuid not null,
        repository_id uuid not null,
        github_id bigint not null,
        sha text not null,
        environment text not null,
        creator text,
        state text not null check (state in ('success', 'failure', 'pending', 'inactive')),
        began_at timestamptz not null,
        succeeded_at timestamptz,
        observed_at timestamptz not null,
        primary key (org_id, repository_id, github_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('deployment')}
      ${grantToApp('deployment', 'read-write')}

      create table history_record (
        org_id uuid not null,
        id uuid not null,
        repository_id uuid not null,
        release_id uuid,
        version text,
        kind text not null check (kind in ('release', 'hotfix', 'rollback', 'ungoverned')),
        commit_sha text not null,
        environment text not null,
        deployment_github_id bigint,
        deployed_at timestamptz not null,
        deployed_by text,
        approvers jsonb not null,
        decision_id uuid,
        lead_time_seconds bigint,
        recorded_at timestamptz not null,
        primary key (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, decision_id) references decision (org_id, id),
        unique (org_id, repository_id, deployment_github_id)
      );
      create index history_by_time on history_record (org_id, deployed_at desc, id);
      ${enableTenantIsolation('history_record')}
      ${grantToApp('history_record', 'append-only')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table history_record, deployment, evidence_pull, decision, stage_transition, observation,
        ignored_milestone, release;
    `);
  }
}
