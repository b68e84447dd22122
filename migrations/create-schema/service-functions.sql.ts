/** The functions of jobs, limits, storage and secrets of the service. */
export const SERVICE_FUNCTIONS = `
CREATE FUNCTION public.add_setup_code(hash bytea, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO setup_code (code_hash, created_at)
   VALUES (add_setup_code.hash, add_setup_code.at) ON CONFLICT DO NOTHING;
END;

CREATE FUNCTION public.add_signing_key(new_id text, new_public_key text, sealed text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO signing_key (key_id, public_key, encrypted_private_key, created_at)
   VALUES (add_signing_key.new_id, add_signing_key.new_public_key, add_signing_key.sealed, add_signing_key.at) ON CONFLICT DO NOTHING;
END;

CREATE FUNCTION public.archive_unshipped_releases(before timestamp with time zone, most integer, OUT releases integer, OUT reports integer, OUT decisions integer)
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
            and not exists (select from gate_confirmation c where c.org_id = tenant and c.decision_id = d.id)
            and not exists (select from deployment_hold h where h.org_id = tenant and h.decision_id = d.id)
          returning pg_column_size(d.verdict) + pg_column_size(d.inputs) as bytes)
        select count(*), coalesce(sum(bytes), 0) into decisions, part from deleted;
        freed := freed + part;

        insert into storage_usage_change (org_id, bytes) select tenant, -freed where freed > 0;
        update release set archived_at = now() where org_id = tenant and id = any(ended);
      end $function$;

CREATE FUNCTION public.assert_job_lease(lock_space integer, job_id bigint, pool text, taken_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      perform pg_advisory_xact_lock_shared(lock_space, hashtext(pool));
      -- A separate statement, because it must see a lease that was released while the statement before it waited. Postgres stores
      -- microseconds and the service reads milliseconds.
      perform from graphile_worker.jobs job where job.id = job_id and job.locked_by = pool
        and job.locked_at between taken_at - interval '2 ms' and taken_at + interval '2 ms';
      if not found then
        raise exception 'The job % is not held by %.', job_id, pool using errcode = 'SG001';
      end if;
      return true;
    end $function$;

CREATE FUNCTION public.check_setup_code(presented_hash bytea)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (EXISTS ( SELECT
                FROM app_configuration)) THEN 'configured'::text
             WHEN (EXISTS ( SELECT
                FROM setup_code c
               WHERE (c.code_hash = check_setup_code.presented_hash))) THEN 'right'::text
             ELSE 'wrong_code'::text
         END AS "case";
END;

CREATE FUNCTION public.clear_removed_location(object text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE report_content SET location = NULL::text
   WHERE ((report_content.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND (report_content.location = clear_removed_location.object) AND (report_content.removed_at < (now() - '30 days'::interval)));
END;

CREATE FUNCTION public.complete_setup(presented_hash bytea, sealed text, at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      if exists (select from public.app_configuration) then return 'configured'; end if;
      if presented_hash is not null
        and not exists (select from public.setup_code c where c.code_hash = presented_hash) then
        return 'wrong_code';
      end if;
      insert into public.app_configuration (encrypted_credentials, configured_at) values (sealed, at) on conflict do nothing;
      if not found then return 'configured'; end if;
      delete from public.setup_code;
      return 'stored';
    end $function$;

CREATE FUNCTION public.delete_old_rate_limit_windows(started_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM rate_limit_window
   WHERE (rate_limit_window.window_start < delete_old_rate_limit_windows.started_before);
END;

CREATE FUNCTION public.find_signing_key()
 RETURNS TABLE(key_id text, public_key text, sealed_private_key text, made_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.key_id,
     k.public_key,
     k.encrypted_private_key AS sealed_private_key,
     k.created_at AS made_at
    FROM signing_key k
   WHERE (k.retired_at IS NULL);
END;

CREATE FUNCTION public.find_untrusted_forwarder()
 RETURNS TABLE(address text, seen_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT held.address,
     held.seen_at
    FROM untrusted_forwarder held;
END;

CREATE FUNCTION public.get_app_configuration()
 RETURNS TABLE(encrypted_credentials text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT c.encrypted_credentials
    FROM app_configuration c;
END;

CREATE FUNCTION public.lease_rate_limit_tokens(subject text, quota integer, window_seconds integer, wanted integer)
 RETURNS TABLE(granted integer, used integer, resets_in_ms integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO rate_limit_window AS held (key, window_start, used, granted)
   VALUES (lease_rate_limit_tokens.subject, to_timestamp(((floor((EXTRACT(epoch FROM clock_timestamp()) / (lease_rate_limit_tokens.window_seconds)::numeric)) * (lease_rate_limit_tokens.window_seconds)::numeric))::double precision), LEAST(lease_rate_limit_tokens.wanted, lease_rate_limit_tokens.quota), LEAST(lease_rate_limit_tokens.wanted, lease_rate_limit_tokens.quota)) ON CONFLICT(key) DO UPDATE SET window_start = GREATEST(held.window_start, excluded.window_start), granted =
         CASE
             WHEN (held.window_start >= excluded.window_start) THEN GREATEST(0, LEAST(lease_rate_limit_tokens.wanted, (lease_rate_limit_tokens.quota - held.used)))
             ELSE excluded.granted
         END, used =
         CASE
             WHEN (held.window_start >= excluded.window_start) THEN GREATEST(held.used, LEAST((held.used + lease_rate_limit_tokens.wanted), lease_rate_limit_tokens.quota))
             ELSE excluded.used
         END
   RETURNING held.granted,
     held.used,
     (GREATEST((1)::numeric, ceil(((1000)::numeric * EXTRACT(epoch FROM ((held.window_start + make_interval(secs => (lease_rate_limit_tokens.window_seconds)::double precision)) - clock_timestamp()))))))::integer AS "greatest";
END;

CREATE FUNCTION public.list_encryption_key_ids()
 RETURNS TABLE(key_id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT split_part(c.encrypted_credentials, '.'::text, 2) AS split_part
    FROM app_configuration c
 UNION
  SELECT split_part(p.access_token, '.'::text, 2) AS split_part
    FROM user_account p
   WHERE (p.access_token IS NOT NULL)
 UNION
  SELECT split_part(p.refresh_token, '.'::text, 2) AS split_part
    FROM user_account p
   WHERE (p.refresh_token IS NOT NULL)
 UNION
  SELECT split_part(k.encrypted_private_key, '.'::text, 2) AS split_part
    FROM signing_key k
   WHERE (k.encrypted_private_key IS NOT NULL);
END;

CREATE FUNCTION public.list_secrets_of_other_keys(current_key text, wanted integer)
 RETURNS TABLE(kind text, owner text, ciphertext text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT secret.kind,
     secret.owner,
     secret.ciphertext
    FROM ( SELECT 'app_credentials'::text AS kind,
             ''::text AS owner,
             c.encrypted_credentials AS ciphertext
            FROM app_configuration c
         UNION ALL
          SELECT 'signing_key'::text AS text,
             k.key_id,
             k.encrypted_private_key
            FROM signing_key k
           WHERE (k.encrypted_private_key IS NOT NULL)
         UNION ALL
          SELECT 'access_token'::text AS text,
             (u.github_id)::text AS github_id,
             u.access_token
            FROM user_account u
           WHERE (u.access_token IS NOT NULL)
         UNION ALL
          SELECT 'refresh_token'::text AS text,
             (u.github_id)::text AS github_id,
             u.refresh_token
            FROM user_account u
           WHERE (u.refresh_token IS NOT NULL)) secret
   WHERE (split_part(secret.ciphertext, '.'::text, 2) <> list_secrets_of_other_keys.current_key)
  LIMIT list_secrets_of_other_keys.wanted;
END;

CREATE FUNCTION public.measure_storage(free_quota double precision, pro_quota double precision)
 RETURNS TABLE(used_bytes double precision, nearly_full bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT COALESCE(sum(stored.bytes), (0)::double precision) AS "coalesce",
     count(*) FILTER (WHERE (stored.bytes > ((0.9)::double precision *
         CASE o.plan
             WHEN 'pro'::text THEN measure_storage.pro_quota
             ELSE measure_storage.free_quota
         END))) AS count
    FROM (organization o
      CROSS JOIN LATERAL ( SELECT (sum(c.bytes))::double precision AS bytes
            FROM storage_usage_change c
           WHERE (c.org_id = o.org_id)) stored);
END;

CREATE FUNCTION public.measure_syncs(moment timestamp with time zone, overdue_seconds double precision)
 RETURNS TABLE(workspaces bigint, oldest_seconds double precision, overdue bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count,
     (EXTRACT(epoch FROM (measure_syncs.moment - min(synced.at))))::double precision AS "extract",
     count(*) FILTER (WHERE ((EXTRACT(epoch FROM (measure_syncs.moment - synced.at)))::double precision > measure_syncs.overdue_seconds)) AS count
    FROM (organization o
      CROSS JOIN LATERAL ( SELECT COALESCE(max(s.finished_at) FILTER (WHERE (s.failure IS NULL)), min(s.begun_at)) AS at
            FROM sync_run s
           WHERE (s.org_id = o.org_id)) synced)
   WHERE ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL));
END;

CREATE FUNCTION public.note_untrusted_forwarder(forwarder text, seen timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO untrusted_forwarder AS held (address, seen_at)
   VALUES (note_untrusted_forwarder.forwarder, note_untrusted_forwarder.seen) ON CONFLICT(only_row) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at
   WHERE (held.seen_at < excluded.seen_at);
END;

CREATE FUNCTION public.probe_write(needs_space boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO write_probe AS held (probed_at, filler)
   VALUES (clock_timestamp(),
         CASE
             WHEN probe_write.needs_space THEN repeat('x'::text, 131072)
             ELSE NULL::text
         END) ON CONFLICT(only_row) DO UPDATE SET probed_at = excluded.probed_at, filler = excluded.filler;
END;

CREATE FUNCTION public.publish_workflows(paths text[], blob_shas text[], revision text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO published_workflow (path, blob_sha, revision, published_at)  SELECT file.path,
             file.blob_sha,
             publish_workflows.revision AS revision,
             publish_workflows.at AS at
            FROM UNNEST(publish_workflows.paths, publish_workflows.blob_shas) file(path, blob_sha) ON CONFLICT(path, blob_sha) DO NOTHING;
END;

CREATE FUNCTION public.replace_encrypted_secret(kind text, owner text, former text, successor text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          case kind
            when 'app_credentials' then
              update public.app_configuration set encrypted_credentials = successor where encrypted_credentials = former;
            when 'signing_key' then
              update public.signing_key set encrypted_private_key = successor
              where key_id = owner and encrypted_private_key = former;
            when 'access_token' then
              update public.user_account set access_token = successor
              where github_id = owner::bigint and access_token = former;
            when 'refresh_token' then
              update public.user_account set refresh_token = successor
              where github_id = owner::bigint and refresh_token = former;
          end case;
          return found;
        end $function$;

CREATE FUNCTION public.replace_signing_key(old_id text, new_id text, new_public_key text, sealed text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.signing_key k set retired_at = at, encrypted_private_key = null
      where k.key_id = old_id and k.retired_at is null;
      if not found then return false; end if;
      insert into public.signing_key (key_id, public_key, encrypted_private_key, created_at)
      values (new_id, new_public_key, sealed, at);
      return true;
    end $function$;

CREATE FUNCTION public.restore_report_content(digest text, content bytea, object text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
      end $function$;

CREATE FUNCTION public.take_scheduled_interval(job_name text, every_seconds integer)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
          with taken as (
            insert into public.scheduled_job as job (name, due_at)
            values (job_name, to_timestamp(floor(extract(epoch from now()) / every_seconds) * every_seconds))
            on conflict (name) do update set due_at = excluded.due_at
              where job.due_at < excluded.due_at or job.due_at > now() + interval '1 minute'
            returning 1)
          select exists (select from taken)
        $function$;
`;
