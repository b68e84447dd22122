import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the lists of releases are read from: nothing in it changes with time alone. */
export class ListReleases1790300001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The order of versions by precedence (semver.org 2.0.0, § 11) as text to be compared byte by byte: what is no
      -- version first, versions of the same precedence by their text. A number is led by how many digits it has.
      create function version_order(version text) returns text
        language sql immutable parallel safe set search_path = pg_catalog
        begin atomic
          select coalesce((
            select '1' || string_agg(lpad(length(ltrim(digits, '0'))::text, 3, '0') || ltrim(digits, '0'), '' order by at)
              || case when parts[5] is null then '~' else (
                select string_agg(
                  case when identifier ~ '^[0-9]+$'
                    then '0' || lpad(length(ltrim(identifier, '0'))::text, 3, '0') || ltrim(identifier, '0')
                    else '1' || identifier end || '!', '' order by at)
                from unnest(string_to_array(parts[5], '.')) with ordinality as identified (identifier, at)) end
            from regexp_match(version, '^v?([0-9]+)[.]([0-9]+)[.]([0-9]+)(-([0-9A-Za-z.-]+))?$') as parts,
              unnest(parts[1:3]) with ordinality as core (digits, at)
            where length(version) <= 100
            group by parts), '0') || ' ' || version;
        end;
      revoke all on function version_order(text) from public;
      grant execute on function version_order(text) to shipgate_app;

      alter table release
        -- Something stands in its way that does not pass by itself.
        add column blocked boolean not null default false,
        -- A fact that its verdict rests on was never read.
        add column unread boolean not null default false,
        -- The first of what keeps its gate closed, and how much there is in all.
        add column blockers jsonb not null default '[]',
        add column blocker_count integer not null default 0,
        -- Until when it may be deployed, by facts that are fresh until then.
        add column ready_until timestamptz generated always as (
          case when open_until is not null then least(open_until, valid_until) end) stored,
        -- Its outcome but for what time decides: (b)locked, needs (a)pproval, or in (p)rogress. One byte, because a count
        -- of forty thousand texts takes ten times as long.
        add column standing "char" not null generated always as (
          case when blocked then 'b'::"char" when stage = 'EVIDENCING' then 'a'::"char" else 'p'::"char" end) stored,
        -- What a version is searched by.
        add column lower_version text collate "C" not null generated always as (lower(version collate "C")) stored,
        add column version_order text collate "C" not null generated always as (version_order(version)) stored;

      -- Everything by which active releases are listed, searched and counted, so that none of their rows is read for it.
      create index release_active on release (org_id, updated_at desc, id)
        include (repository_id, standing, ready_until, lower_version)
        where shipped_at is null and cancelled_at is null and deleted_at is null;
      create index release_by_version_order on release (org_id, repository_id, version_order desc, id);
      -- A row that was changed since the last vacuum is looked up for each count.
      alter table release set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
        autovacuum_analyze_scale_factor = 0.02);

      -- The few repositories whose policy names a freeze.
      create index observation_of_freezes on observation (org_id, repository_id)
        where kind = 'policy' and key = '' and value #> '{policy,freezes}' <> '[]';
      create index history_of_release on history_record (org_id, release_id, deployed_at);

      -- As they were, but that the setting is read once a statement and not once a row.
      alter policy viewer on repository using (
        (select nullif(current_setting('app.viewer', true), '') is null) or not private or github_id in (
          select a.repository_github_id from repository_access a
          where a.person = nullif(current_setting('app.viewer', true), '')::bigint));
      alter policy viewer on release using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter policy viewer on release using (
        nullif(current_setting('app.viewer', true), '') is null or repository_id in (select r.id from repository r));
      alter policy viewer on repository using (
        nullif(current_setting('app.viewer', true), '') is null or not private or github_id in (
          select a.repository_github_id from repository_access a
          where a.person = nullif(current_setting('app.viewer', true), '')::bigint));
      drop index history_of_release, observation_of_freezes, release_by_version_order, release_active;
      alter table release reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor,
        autovacuum_analyze_scale_factor);
      alter table release drop column version_order, drop column lower_version, drop column standing, drop column ready_until,
        drop column blocker_count, drop column blockers, drop column unread, drop column blocked;
      drop function version_order(text);
    `);
  }
}
