import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Releases that were never deployed lose their report files and their repetitive decisions after a while. */
export class ArchiveUnshippedReleases1790716000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- When the content was deleted. Its row stays, because evidence names it. The same content may be uploaded again.
      alter table report_content add removed_at timestamptz;
      -- When retention was applied to the release the last time.
      alter table release add archived_at timestamptz;
      create index evidence_report_by_content on evidence_report (org_id, sha256);
      create index report_content_removed on report_content (org_id, removed_at)
        where removed_at is not null and location is not null;

      -- Stores content again that was deleted. False if it was not. An upload that calls it holds the row until it ends, so that
      -- content to which it refers is not deleted meanwhile.
      create function restore_report_content(digest text, content bytea, object text) returns boolean
      language plpgsql security definer set search_path = pg_catalog, public as $$
      declare
        tenant constant uuid := nullif(current_setting('app.org_id', true), '')::uuid;
        gone timestamptz;
      begin
        select removed_at into gone from report_content where org_id = tenant and sha256 = digest;
        if gone is null then
          select removed_at into gone from report_content where org_id = tenant and sha256 = digest for share;
          -- It was deleted while this waited. Two uploads that share the row could not both change it.
          if gone is not null then
            raise exception 'The content is deleted at this moment.' using errcode = 'lock_not_available';
          end if;
          return false;
        end if;
        update report_content set bytes = content, location = object, removed_at = null
        where org_id = tenant and sha256 = digest and removed_at is not null;
        return found;
      end $$;
      revoke all on function restore_report_content(text, bytea, text) from public;
      grant execute on function restore_report_content(text, bytea, text) to shipgate_app;

      -- Notes that the object of content that was deleted long ago is not in its bucket any more.
      create function clear_removed_location(object text) returns void language sql
      security definer set search_path = pg_catalog, public
      begin atomic
        update report_content set location = null
        where org_id = nullif(current_setting('app.org_id', true), '')::uuid and location = object
          and removed_at < now() - interval '30 days';
      end;
      revoke all on function clear_removed_location(text) from public;
      grant execute on function clear_removed_location(text) to shipgate_app;

      -- Acts as the owner, because the runtime role may not delete what is append-only. The policy of the tenant applies to the
      -- owner as well. No caller can delete what changed within 30 days.
      create function archive_unshipped_releases(
        before timestamptz, most integer, out releases integer, out reports integer, out decisions integer
      ) language plpgsql security definer set search_path = pg_catalog, public as $$
      declare
        tenant constant uuid := nullif(current_setting('app.org_id', true), '')::uuid;
        oldest constant timestamptz := least(before, now() - interval '30 days');
        ended uuid[];
        digests text[];
        freed bigint := 0;
        part bigint;
      begin
        select coalesce(array_agg(id), '{}') into ended from (
          select r.id from release r
          where r.org_id = tenant and r.shipped_at is null
            and greatest(r.created_at, r.updated_at, r.evidence_at, r.cancelled_at, r.deleted_at) < oldest
            and (r.archived_at is null
              or r.archived_at < greatest(r.updated_at, r.evidence_at, r.cancelled_at, r.deleted_at))
            and not exists (select from deployment_record d where d.org_id = tenant and d.release_id = r.id)
          order by r.updated_at limit most for update skip locked) picked;
        releases := cardinality(ended);

        -- An upload of the same content locks the row too. What it names afterwards is seen by the next statement.
        select coalesce(array_agg(sha256), '{}') into digests from (
          select c.sha256 from report_content c
          where c.org_id = tenant and c.removed_at is null and c.sha256 in (
            select f.sha256 from evidence e join evidence_report f on f.org_id = e.org_id and f.evidence_id = e.id
            where e.org_id = tenant and e.release_id = any(ended))
          order by c.sha256 for update) locked;
        select coalesce(array_agg(digest), '{}') into digests from unnest(digests) digest
        where not exists (
          select from evidence_report f join evidence e on e.org_id = f.org_id and e.id = f.evidence_id
          where f.org_id = tenant and f.sha256 = digest and e.release_id <> all(ended));
        reports := cardinality(digests);

        select coalesce(sum(case when c.location is null then octet_length(c.bytes)
            else (select max(f.size) from evidence_report f where f.org_id = tenant and f.sha256 = c.sha256) end), 0)
          into part from report_content c where c.org_id = tenant and c.sha256 = any(digests);
        freed := freed + part;
        with deleted as (
          delete from report_content_block where org_id = tenant and sha256 = any(digests) returning octet_length(deflated) as bytes)
        select coalesce(sum(bytes), 0) into part from deleted;
        freed := freed + part;
        with deleted as (
          delete from test_results where org_id = tenant and sha256 = any(digests)
          returning octet_length(entries) + octet_length(names) as bytes)
        select coalesce(sum(bytes), 0) into part from deleted;
        freed := freed + part;
        update report_content set bytes = '', removed_at = now() where org_id = tenant and sha256 = any(digests);

        -- The first and the last decision of a release stay, each that opened the gate or changed the stage, and each that
        -- something refers to.
        with listed as (
          select d.id, d.open, d.verdict ->> 'stage' = lag(d.verdict ->> 'stage') over neighbours as repeats,
            lag(d.open) over neighbours as was_open, lead(d.id) over neighbours is null as is_last
          from decision d where d.org_id = tenant and d.release_id = any(ended)
          window neighbours as (partition by d.release_id order by d.sequence)),
        deleted as (
          delete from decision d using listed l
          where d.org_id = tenant and d.id = l.id and not l.open and not l.was_open and l.repeats and not l.is_last
            and not exists (select from gate_confirmation c where c.org_id = tenant and c.decision_id = d.id)
            and not exists (select from deployment_hold h where h.org_id = tenant and h.decision_id = d.id)
          returning pg_column_size(d.verdict) + pg_column_size(d.inputs) as bytes)
        select count(*), coalesce(sum(bytes), 0) into decisions, part from deleted;
        freed := freed + part;

        insert into storage_usage_change (org_id, bytes) select tenant, -freed where freed > 0;
        update release set archived_at = now() where org_id = tenant and id = any(ended);
      end $$;
      revoke all on function archive_unshipped_releases(timestamptz, integer) from public;
      grant execute on function archive_unshipped_releases(timestamptz, integer) to shipgate_app;

      -- Deletes the accounts of users who are in no workspace and did not sign in since then.
      grant delete on user_account to shipgate_lookup;
      create function delete_unused_accounts(before timestamptz, most integer) returns integer language sql
      security definer set search_path = pg_catalog, public
      begin atomic
        with deleted as (
          delete from user_account u where u.github_id in (
            select a.github_id from user_account a
            where a.updated_at < least(before, now() - interval '30 days')
              and not exists (select from session s where s.user_id = a.github_id)
              and not exists (select from member m where m.person = a.github_id)
            limit most)
          returning 1)
        select count(*)::integer from deleted;
      end;
      alter function delete_unused_accounts(timestamptz, integer) owner to shipgate_lookup;
      revoke all on function delete_unused_accounts(timestamptz, integer) from public;
      grant execute on function delete_unused_accounts(timestamptz, integer) to shipgate_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function delete_unused_accounts(timestamptz, integer);
      revoke delete on user_account from shipgate_lookup;
      drop function archive_unshipped_releases(timestamptz, integer);
      drop function clear_removed_location(text);
      drop function restore_report_content(text, bytea, text);
      drop index report_content_removed;
      drop index evidence_report_by_content;
      alter table release drop archived_at;
      alter table report_content drop removed_at;
    `);
  }
}
