import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation, restrictToViewer } from './tenancy-sql.js';

const TABLES = ['watched_file', 'watched_branch', 'tampered_file', 'tampering_issue'];

/** Which workflow files the service installed, and where somebody changed them. */
export class WatchWorkflowFiles1790200004100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A managed file that was seen on the default branch as the service publishes it: from then on it is watched.
      create table watched_file (
        org_id uuid not null,
        repository_id uuid not null,
        path text not null,
        since timestamptz not null,
        primary key (org_id, repository_id, path),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );

      -- A branch that releases are made from, and the commit at its head when it was last looked at.
      create table watched_branch (
        org_id uuid not null,
        repository_id uuid not null,
        branch text not null,
        -- Releases are made from it without having it for themselves.
        trunk boolean not null,
        head_sha text not null,
        -- The commits that were at its head and had every watched file as published, newest first.
        intact_heads text[] not null,
        -- The managed files that were there at any time, as published or not.
        paths text[] not null,
        looked_at timestamptz not null,
        primary key (org_id, repository_id, branch),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );

      create table tampered_file (
        org_id uuid not null,
        repository_id uuid not null,
        branch text not null,
        path text not null,
        since timestamptz not null,
        primary key (org_id, repository_id, branch, path),
        foreign key (org_id, repository_id, branch)
          references watched_branch (org_id, repository_id, branch) on delete cascade
      );

      -- The issue that tells of a file as long as it is tampered with anywhere.
      create table tampering_issue (
        org_id uuid not null,
        repository_id uuid not null,
        path text not null,
        -- Null from before it is opened until that is known.
        number integer,
        url text,
        -- A digest of what it says.
        told text,
        primary key (org_id, repository_id, path),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );

      ${TABLES.map((table) => `${enableTenantIsolation(table)} ${grantToApp(table, 'read-write')} ${restrictToViewer(table)}`).join('\n')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ${TABLES.toReversed().join(', ')};`);
  }
}
