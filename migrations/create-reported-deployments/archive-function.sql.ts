/**
 * The function that archives releases. It keeps the decisions to which these tables refer. The earlier form named `gate_confirmation` and
 * `deployment_hold`.
 */
export const archiveFunction = (referring: readonly string[]): string => `
CREATE OR REPLACE FUNCTION public.archive_unshipped_releases(before timestamp with time zone, most integer, OUT releases integer, OUT reports integer, OUT decisions integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
            ${referring.map((table) => `and not exists (select from ${table} o where o.org_id = tenant and o.decision_id = d.id)`).join('\n            ')}
          returning pg_column_size(d.verdict) + pg_column_size(d.inputs) as bytes)
        select count(*), coalesce(sum(bytes), 0) into decisions, part from deleted;
        freed := freed + part;

        insert into storage_usage_change (org_id, bytes) select tenant, -freed where freed > 0;
        update release set archived_at = now() where org_id = tenant and id = any(ended);
      end $function$;
`;
