import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** What releases are found by for the sake of their evidence, and the scorecards with which they shipped. */
export class ListQuality1790400002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table release
        -- When evidence of it was received last; null where none was.
        add column evidence_at timestamptz,
        -- Its scorecard when it was shipped; null where it was not, or before there were any.
        add column shipped_scorecard jsonb;
      -- The score of the release with which it was shipped.
      alter table history_record add column score numeric;

      -- Of which types evidence of a release is there, and of which environments.
      create table evidence_facet (
        org_id uuid not null,
        repository_id uuid not null,
        release_id uuid not null,
        kind text collate "C" not null,
        environment text collate "C" not null,
        primary key (org_id, repository_id, release_id, kind, environment),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index evidence_facet_by_kind on evidence_facet (org_id, kind, environment, release_id)
        include (repository_id);
      create index evidence_facet_by_environment on evidence_facet (org_id, environment, release_id)
        include (repository_id);
      ${enableTenantIsolation('evidence_facet')}
      ${grantToApp('evidence_facet', 'append-only')}
      -- The setting is read once a statement and not once a row.
      create policy viewer on evidence_facet as restrictive for select to shipgate_app using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));
      alter table evidence_facet set (autovacuum_vacuum_insert_scale_factor = 0.02);
    `);
    // Of all tenants at once, which only who owns the tables may: with row-level security off for them meanwhile.
    await runner.query(`
      alter table evidence no force row level security;
      alter table release no force row level security;
      alter table evidence_facet no force row level security;
      update release r set evidence_at = kept.at
      from (select org_id, release_id, max(received_at) as at from evidence group by 1, 2) kept
      where kept.org_id = r.org_id and kept.release_id = r.id;
      insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
      select distinct e.org_id, e.repository_id, e.release_id, piece ->> 'kind', e.environment
      from evidence e cross join lateral jsonb_array_elements(e.pieces) as piece;
      alter table evidence force row level security;
      alter table release force row level security;
      alter table evidence_facet force row level security;
    `);
    await runner.query(`
      -- Releases with evidence, in the order of the list; a page is found and counted by them alone.
      create index release_by_evidence on release (org_id, evidence_at desc, id) include (repository_id, version)
        where evidence_at is not null;
      -- Their versions, the newest first.
      create index release_versions_with_evidence on release (org_id, version_order desc) include (repository_id, version)
        where evidence_at is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index release_versions_with_evidence, release_by_evidence;
      drop table evidence_facet;
      alter table history_record drop column score;
      alter table release drop column shipped_scorecard, drop column evidence_at;
    `);
  }
}
