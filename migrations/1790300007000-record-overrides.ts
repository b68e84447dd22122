import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation, restrictToReleaseViewer } from './tenancy-sql.js';

/** What two people agreed to, kept so that nobody's own request can be their own confirmation. */
const TWO_PEOPLE = `
        reason text not null,
        requested_by bigint not null,
        -- A label, as of that moment; so are the others.
        requested_by_login text not null,
        requested_at timestamptz not null,
        confirmed_by bigint check (confirmed_by <> requested_by),
        confirmed_by_login text,
        confirmed_at timestamptz,
        withdrawn_by bigint,
        withdrawn_at timestamptz,
        -- Until when it may be confirmed, and once it is, until when it holds.
        expires_at timestamptz not null,
        check ((confirmed_by is null) = (confirmed_at is null) and (confirmed_by is null) = (confirmed_by_login is null)),
        check ((withdrawn_by is null) = (withdrawn_at is null))`;

/** Freezes of a workspace, waivers and broken glass of its releases, and what of it a deployment rested on. */
export class RecordOverrides1790300007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Days in UTC, both included.
      create table deployment_freeze (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        from_day date not null,
        to_day date not null check (to_day >= from_day),
        reason text not null,
        made_by bigint not null,
        made_at timestamptz not null,
        lifted_by bigint,
        lifted_at timestamptz,
        primary key (org_id, id),
        check ((lifted_by is null) = (lifted_at is null))
      );
      create index deployment_freeze_by_end on deployment_freeze (org_id, to_day);
      ${enableTenantIsolation('deployment_freeze')}
      ${grantToApp('deployment_freeze', 'read-write')}

      create table waiver (
        org_id uuid not null,
        id uuid not null,
        release_id uuid not null,
        condition text not null,
        -- The sentences of the conditions that it sets aside, as they stood when it was asked for.
        details text[] not null,
        candidate_sha text not null,
        ${TWO_PEOPLE},
        check (expires_at <= requested_at + interval '7 days'),
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index waiver_by_release on waiver (org_id, release_id, expires_at);
      ${enableTenantIsolation('waiver')}
      ${grantToApp('waiver', 'read-write')}
      ${restrictToReleaseViewer('waiver')}

      create table break_glass (
        org_id uuid not null,
        id uuid not null,
        release_id uuid not null,
        sha text not null,
        ${TWO_PEOPLE},
        check (expires_at <= coalesce(confirmed_at, requested_at) + interval '4 hours'),
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index break_glass_by_release on break_glass (org_id, release_id, expires_at);
      ${enableTenantIsolation('break_glass')}
      ${grantToApp('break_glass', 'read-write')}
      ${restrictToReleaseViewer('break_glass')}

      -- What people had set aside of what the deployment rested on.
      alter table history_record add column overrides jsonb not null default '[]';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table history_record drop column overrides;
      drop table break_glass, waiver, deployment_freeze;
    `);
  }
}
