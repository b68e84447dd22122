/** The look-ups before the tenant of a request is known. */
export const LOOKUP_FUNCTIONS = `
CREATE FUNCTION public.find_api_key(presented_hash bytea)
 RETURNS TABLE(org_id uuid, id uuid, scopes text[], repository_ids uuid[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.org_id,
     k.id,
     k.scopes,
     k.repository_ids,
     k.expires_at,
     k.revoked_at,
     k.last_used_at
    FROM api_key k
   WHERE (k.secret_hash = find_api_key.presented_hash);
END;

CREATE FUNCTION public.find_audit_head()
 RETURNS TABLE(sequence bigint, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT e.sequence,
     e.hash
    FROM audit_entry e
   WHERE (e.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)
   ORDER BY e.sequence DESC
  LIMIT 1;
END;

CREATE FUNCTION public.find_gate_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text)
 RETURNS TABLE(org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        #variable_conflict use_column
        declare
          tenant text;
          same_name bigint;
        begin
          select k.org_id, k.id, k.scopes, k.repository_ids, k.expires_at, k.revoked_at, k.last_used_at,
            wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, key_id, scopes, repository_ids, expires_at, revoked_at, last_used_at, owner_matches
          from public.api_key k join public.organization o on o.org_id = k.org_id
          where k.secret_hash = presented_hash;
          if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_by_key.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha,
    l.candidate_shas, l.open_until, l.valid_until, case when l.open_until is null then l.blockers -> 0 ->> 'code' end
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha,
    candidate_shas, open_until, valid_until, reason
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_by_key.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null;
  end if;
  return next;
        end $function$;

CREATE FUNCTION public.find_gate_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text)
 RETURNS TABLE(org_id uuid, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        #variable_conflict use_column
        declare
          tenant text;
          same_name bigint;
        begin
          select o.org_id, wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, owner_matches
          from public.organization o where o.github_id = owner_github_id;
          if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_by_owner.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha,
    l.candidate_shas, l.open_until, l.valid_until, case when l.open_until is null then l.blockers -> 0 ->> 'code' end
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha,
    candidate_shas, open_until, valid_until, reason
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_by_owner.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null;
  end if;
  return next;
        end $function$;

CREATE FUNCTION public.find_organization_by_installation(installation_github_id bigint)
 RETURNS TABLE(org_id uuid, login text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login
    FROM organization o
   WHERE (o.installation_id = find_organization_by_installation.installation_github_id);
END;

CREATE FUNCTION public.find_organization_by_owner(owner_github_id bigint)
 RETURNS TABLE(org_id uuid, login text, installation_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login,
     o.installation_id
    FROM organization o
   WHERE (o.github_id = find_organization_by_owner.owner_github_id);
END;

CREATE FUNCTION public.find_organizations_by_login(wanted text)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id
    FROM organization o
   WHERE ((lower(o.login) = lower(find_organizations_by_login.wanted)) AND ((o.installation_id IS NOT NULL) OR (NOT (EXISTS ( SELECT
            FROM organization other
           WHERE ((lower(other.login) = lower(find_organizations_by_login.wanted)) AND (other.installation_id IS NOT NULL)))))));
END;

CREATE FUNCTION public.find_organizations_by_owners(owner_github_ids bigint[])
 RETURNS TABLE(org_id uuid, github_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.github_id
    FROM organization o
   WHERE (o.github_id = ANY (find_organizations_by_owners.owner_github_ids));
END;

CREATE FUNCTION public.find_personal_key(presented_hash bytea)
 RETURNS TABLE(org_id uuid, id uuid, scope text, expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, person bigint, login text, name text, avatar_url text, org_login text, installed boolean, role text, confirmed_at timestamp with time zone, access_observed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.org_id,
     k.id,
     k.scope,
     k.expires_at,
     k.revoked_at,
     k.last_used_at,
     k.person,
     p.login,
     p.name,
     p.avatar_url,
     o.login,
     (o.installation_id IS NOT NULL),
     m.role,
     m.confirmed_at,
     m.access_observed_at
    FROM (((personal_key k
      JOIN organization o ON ((o.org_id = k.org_id)))
      JOIN user_account p ON ((p.github_id = k.person)))
      LEFT JOIN member m ON (((m.org_id = k.org_id) AND (m.person = k.person))))
   WHERE (k.secret_hash = find_personal_key.presented_hash);
END;

CREATE FUNCTION public.find_published_workflow(wanted_path text, wanted_blob_sha text)
 RETURNS TABLE(revision text, published_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.revision,
     p.published_at
    FROM published_workflow p
   WHERE ((p.path = find_published_workflow.wanted_path) AND (p.blob_sha = find_published_workflow.wanted_blob_sha));
END;

CREATE FUNCTION public.list_audit_links(first bigint, last bigint)
 RETURNS TABLE(sequence bigint, previous_hash text, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT e.sequence,
     e.previous_hash,
     e.hash
    FROM audit_entry e
   WHERE ((e.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND ((e.sequence >= list_audit_links.first) AND (e.sequence <= list_audit_links.last)));
END;

CREATE FUNCTION public.list_installed_organizations()
 RETURNS TABLE(org_id uuid, login text, installation_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login,
     o.installation_id
    FROM organization o
   WHERE ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL));
END;

CREATE FUNCTION public.list_organizations()
 RETURNS TABLE(org_id uuid, login text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login
    FROM organization o
   ORDER BY o.login, o.org_id;
END;

CREATE FUNCTION public.list_public_keys()
 RETURNS TABLE(key_id text, public_key text, made_at timestamp with time zone, retired_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.key_id,
     k.public_key,
     k.created_at AS made_at,
     k.retired_at
    FROM signing_key k;
END;

CREATE FUNCTION public.list_workspaces_with_tokens(received timestamp with time zone)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT DISTINCT t.org_id
    FROM repository_token t
   WHERE (t.received_at <= list_workspaces_with_tokens.received);
END;
`;
