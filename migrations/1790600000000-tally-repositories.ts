import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** What lists count of a release, as columns of `repository_tally`. */
const OF_RELEASE = `
  (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'b')::integer as blocked,
  (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'a')::integer as awaiting,
  (shipped_at is null and cancelled_at is null and deleted_at is null and standing = 'p')::integer as passing,
  (evidence_at is not null)::integer as evidenced`;

/** Counts everything anew, for a table that has no counts yet. */
export const TALLY_EVERYTHING = `
  insert into repository_tally (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
  select org_id, repository_id, sum(blocked), sum(awaiting), sum(passing), sum(evidenced), sum(recorded) from (
    select org_id, repository_id, ${OF_RELEASE}, 0 as recorded from release
    union all
    select org_id, repository_id, 0, 0, 0, 0, count(*) from history_record group by 1, 2) as counted
  group by 1, 2`;

/** How many releases and records a repository has, so that lists need not count them one by one. */
export class TallyRepositories1790600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- At once as firmly as it is needed at last: who got the firmer lock later could wait for who waits for this one.
      lock table release, history_record in access exclusive mode;

      -- Each row is what changed; the counts of a repository are the sums of its rows. So nobody who changes a release waits
      -- for somebody who changes another one.
      create table repository_tally (
        org_id uuid not null,
        id bigint generated always as identity,
        repository_id uuid not null,
        -- Active releases by their standing.
        blocked integer not null,
        awaiting integer not null,
        passing integer not null,
        -- Releases of which there is evidence, whatever else became of them.
        evidenced integer not null,
        -- Records of the history.
        recorded integer not null,
        primary key (org_id, id)
        -- Without a foreign key: who changes a release would wait for whoever holds its repository.
      );
      create index repository_tally_by_repository on repository_tally (org_id, repository_id)
        include (blocked, awaiting, passing, evidenced, recorded);
      ${enableTenantIsolation('repository_tally')}
      ${grantToApp('repository_tally', 'read-write')}
      -- The setting is read once a statement and not once a row.
      create policy viewer on repository_tally as restrictive for select to shipgate_app using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));

      create function tally_release() returns trigger language plpgsql set search_path = pg_catalog, public as $$
        begin
          insert into repository_tally (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
          select org_id, repository_id, sum(n * blocked), sum(n * awaiting), sum(n * passing), sum(n * evidenced), 0
          from (select n, org_id, repository_id, ${OF_RELEASE} from (select -1 as n, (old).* union all select 1, (new).*) as release
            where id is not null) as changed
          group by org_id, repository_id;
          return null;
        end $$;
      revoke all on function tally_release() from public;
      create trigger tally_new after insert on release for each row execute function tally_release();
      create trigger tally_gone after delete on release for each row execute function tally_release();
      -- Most changes of a release change nothing that is counted, and cost no more than this comparison.
      create trigger tally_changed after update on release for each row
        when ((old.standing, old.shipped_at is null, old.cancelled_at is null, old.deleted_at is null, old.evidence_at is null)
          is distinct from
          (new.standing, new.shipped_at is null, new.cancelled_at is null, new.deleted_at is null, new.evidence_at is null))
        execute function tally_release();

      create function tally_record() returns trigger language plpgsql set search_path = pg_catalog, public as $$
        begin
          insert into repository_tally (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
          select org_id, repository_id, 0, 0, 0, 0, n
          from (select -1 as n, (old).* union all select 1, (new).*) as record where id is not null;
          return null;
        end $$;
      revoke all on function tally_record() from public;
      create trigger tally after insert or delete on history_record for each row execute function tally_record();

      -- Those that may be ready, of which only time decides: few, because facts live for minutes.
      create index release_opened on release (org_id, ready_until) include (repository_id, standing)
        where ready_until is not null and standing <> 'b'
          and shipped_at is null and cancelled_at is null and deleted_at is null;
    `);
    // Of all tenants at once, which only who owns the tables may: with row-level security off for them meanwhile.
    await runner.query(`
      alter table release no force row level security;
      alter table history_record no force row level security;
      alter table repository_tally no force row level security;
      ${TALLY_EVERYTHING};
      alter table release force row level security;
      alter table history_record force row level security;
      alter table repository_tally force row level security;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index release_opened;
      drop trigger tally on history_record;
      drop trigger tally_changed on release;
      drop trigger tally_gone on release;
      drop trigger tally_new on release;
      drop function tally_record();
      drop function tally_release();
      drop table repository_tally;
    `);
  }
}
