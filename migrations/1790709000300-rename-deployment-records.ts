import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameTenantTable, restoreTenantTable } from './rename-sql.js';

const RECORDS = { former: 'history_record', name: 'deployment_record', access: 'append-only' } as const;
const COUNTS = { former: 'repository_tally', name: 'repository_count_change', access: 'read-write' } as const;

const INDEXES = {
  history_by_time: 'deployment_record_by_time',
  history_of_release: 'deployment_record_of_release',
  history_of_repository: 'deployment_record_of_repository',
  history_of_shipped_releases: 'deployment_record_of_shipped_releases',
};

/** The trigger functions that count, whose text names the table of the counts. */
const countFunctions = (counts: string, names: { readonly record: string; readonly release: string }): string => `
  create or replace function ${names.record}() returns trigger language plpgsql set search_path = pg_catalog, public as $$
    begin
      insert into ${counts} (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, 0, 0, 0, 0, n
      from (select -1 as n, (old).* union all select 1, (new).*) as record where id is not null;
      return null;
    end $$;

  create or replace function ${names.release}() returns trigger language plpgsql set search_path = pg_catalog, public as $$
    begin
      insert into ${counts} (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, sum(n * blocked), sum(n * awaiting), sum(n * passing), sum(n * evidenced), 0
      from (select n, org_id, repository_id,
          (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'b')::integer as blocked,
          (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'a')::integer as awaiting,
          (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'p')::integer as passing,
          (evidence_at is not null)::integer as evidenced
        from (select -1 as n, (old).* union all select 1, (new).*) as release
        where id is not null) as changed
      group by org_id, repository_id;
      return null;
    end $$;`;

/** Names the deployment history and its counts by the terms of the glossary. The former names are views of the tables. */
export class RenameDeploymentRecords1790709000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- All locks at once, in the order of the triggers: a release or a record is written before its count.
      lock table release, history_record, repository_tally in access exclusive mode;
      ${renameTenantTable(RECORDS)}
      ${Object.entries(INDEXES)
        .map(([former, name]) => `alter index ${former} rename to ${name};`)
        .join(' ')}
      ${renameTenantTable(COUNTS)}
      alter function tally_record() rename to count_record_change;
      alter function tally_release() rename to count_release_change;
      alter trigger tally on deployment_record rename to count_record;
      alter trigger tally_new on release rename to count_insert;
      alter trigger tally_gone on release rename to count_delete;
      alter trigger tally_changed on release rename to count_update;
      ${countFunctions(COUNTS.name, { record: 'count_record_change', release: 'count_release_change' })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      lock table release, deployment_record, repository_count_change in access exclusive mode;
      alter trigger count_update on release rename to tally_changed;
      alter trigger count_delete on release rename to tally_gone;
      alter trigger count_insert on release rename to tally_new;
      alter trigger count_record on deployment_record rename to tally;
      alter function count_release_change() rename to tally_release;
      alter function count_record_change() rename to tally_record;
      ${restoreTenantTable(COUNTS)}
      ${Object.entries(INDEXES)
        .map(([former, name]) => `alter index ${name} rename to ${former};`)
        .join(' ')}
      ${restoreTenantTable(RECORDS)}
      ${countFunctions(COUNTS.former, { record: 'tally_record', release: 'tally_release' })}
    `);
  }
}
