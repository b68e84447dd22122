import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** Reads of facts and hints at their change stand in one order that all processes share, whatever their clocks say. */
export class OrderReadsAndHints1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create sequence fact_number;
      grant usage on sequence fact_number to shipgate_app;

      -- The number that the read took before it began. Every read from now on is later than those that have none.
      alter table observation add column read_number bigint not null default 0;

      -- When facts were last said to have changed, also those that nobody has stored.
      create table fact_hint (
        org_id uuid not null,
        -- Null where it concerns every repository of the organization.
        repository_id uuid,
        -- Null where it concerns facts of every kind.
        kind text,
        -- Null where it concerns every fact of the kind. Of refs the name of a branch, which concerns each prefix of it.
        key text,
        number bigint not null,
        -- By the clock of the database.
        hinted_at timestamptz not null default now(),
        unique nulls not distinct (org_id, repository_id, kind, key),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      create index fact_hint_by_number on fact_hint (org_id, number);
      ${enableTenantIsolation('fact_hint')}
      ${grantToApp('fact_hint', 'read-write')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table fact_hint;
      alter table observation drop column read_number;
      drop sequence fact_number;
    `);
  }
}
