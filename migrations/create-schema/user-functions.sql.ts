/** The functions of users: their sessions, tokens, workspaces and invites. */
export const USER_FUNCTIONS = `
CREATE FUNCTION public.consume_login_attempt(attempt_hash bytea, begun_after timestamp with time zone)
 RETURNS TABLE(return_to text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 WITH taken AS (
          DELETE FROM login_attempt a
           WHERE (a.secret_hash = consume_login_attempt.attempt_hash)
           RETURNING a.return_to,
             a.started_at AS begun_at
         )
  SELECT taken.return_to
    FROM taken
   WHERE (taken.begun_at > consume_login_attempt.begun_after);
END;

CREATE FUNCTION public.count_personal_keys(holder bigint, at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_advisory_xact_lock(hashtextextended('personal keys of ' || holder, 0));
          return (select count(*) from public.personal_key k
            where k.person = holder and k.revoked_at is null and k.expires_at > at);
        end $function$;

CREATE FUNCTION public.count_upgrade_requests(wanted_status text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count
    FROM upgrade_request u
   WHERE ((count_upgrade_requests.wanted_status IS NULL) OR (u.status = count_upgrade_requests.wanted_status));
END;

CREATE FUNCTION public.create_login_attempt(attempt_hash bytea, path text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO login_attempt (secret_hash, return_to, started_at)
   VALUES (create_login_attempt.attempt_hash, create_login_attempt.path, create_login_attempt.at);
END;

CREATE FUNCTION public.create_session(session_hash bytea, holder bigint, selected uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO session (id_hash, user_id, workspace_id, created_at, last_seen_at)
   VALUES (create_session.session_hash, create_session.holder, create_session.selected, create_session.at, create_session.at);
END;

CREATE FUNCTION public.delete_old_sessions(used_before timestamp with time zone, logins_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM session
   WHERE (session.last_seen_at < delete_old_sessions.used_before);
 DELETE FROM login_attempt
   WHERE (login_attempt.started_at < delete_old_sessions.logins_before);
END;

CREATE FUNCTION public.delete_unused_accounts(before timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 WITH deleted AS (
          DELETE FROM user_account u
           WHERE (u.github_id IN ( SELECT a.github_id
                    FROM user_account a
                   WHERE ((a.updated_at < LEAST(delete_unused_accounts.before, (now() - '30 days'::interval))) AND (NOT (EXISTS ( SELECT
                            FROM session s
                           WHERE (s.user_id = a.github_id)))) AND (NOT (EXISTS ( SELECT
                            FROM member m
                           WHERE (m.person = a.github_id)))))
                  LIMIT delete_unused_accounts.most))
           RETURNING 1 AS "?column?"
         )
  SELECT (count(*))::integer AS count
    FROM deleted;
END;

CREATE FUNCTION public.end_session(session_hash bytea, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET ended_at = end_session.at
   WHERE ((session.id_hash = end_session.session_hash) AND (session.ended_at IS NULL));
END;

CREATE FUNCTION public.enter_first_workspace(holder bigint, selected uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET workspace_id = enter_first_workspace.selected
   WHERE ((session.user_id = enter_first_workspace.holder) AND (session.ended_at IS NULL) AND (session.workspace_id IS NULL));
END;

CREATE FUNCTION public.find_workspace_by_invite(invite_id uuid)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT i.org_id
    FROM invite i
   WHERE (i.id = find_workspace_by_invite.invite_id);
END;

CREATE FUNCTION public.find_workspace_by_upgrade_request(request_id uuid)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT u.org_id
    FROM upgrade_request u
   WHERE (u.id = find_workspace_by_upgrade_request.request_id);
END;

CREATE FUNCTION public.get_last_workspace(holder bigint)
 RETURNS TABLE(workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT u.last_workspace_id
    FROM user_account u
   WHERE ((u.github_id = get_last_workspace.holder) AND (u.last_workspace_id IS NOT NULL));
END;

CREATE FUNCTION public.is_session_active(began timestamp with time zone, used timestamp with time zone, began_after timestamp with time zone, used_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT ((began > began_after) AND (began < ahead) AND (
         CASE
             WHEN (used < ahead) THEN used
             ELSE began
         END > used_after));
END;

CREATE FUNCTION public.get_session(session_hash bytea, used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(user_id bigint, login text, name text, avatar_url text, last_seen_at timestamp with time zone, org_id uuid, org_login text, role text, confirmed_at timestamp with time zone, access_observed_at timestamp with time zone, auditor boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT s.user_id,
     u.login,
     u.name,
     u.avatar_url,
     s.last_seen_at,
     m.org_id,
     o.login,
     m.role,
     m.confirmed_at,
     m.access_observed_at,
     m.auditor
    FROM (((session s
      JOIN user_account u ON ((u.github_id = s.user_id)))
      LEFT JOIN member m ON (((m.org_id = s.workspace_id) AND (m.person = s.user_id))))
      LEFT JOIN organization o ON ((o.org_id = m.org_id)))
   WHERE ((s.id_hash = get_session.session_hash) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, get_session.created_after, get_session.used_after, get_session.ahead));
END;

CREATE FUNCTION public.get_user_tokens(person bigint)
 RETURNS TABLE(access_token text, access_expires_at timestamp with time zone, refresh_token text, refresh_expires_at timestamp with time zone, tokens_version integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.access_token,
     p.access_expires_at,
     p.refresh_token,
     p.refresh_expires_at,
     p.tokens_version
    FROM user_account p
   WHERE (p.github_id = get_user_tokens.person);
END;

CREATE FUNCTION public.lease_token_refresh(holder bigint, seen_version integer, at timestamp with time zone, until timestamp with time zone, ahead timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.user_account set refresh_leased_until = until
      where github_id = holder and tokens_version = seen_version and (refresh_leased_until <= at or refresh_leased_until >= ahead);
      return found;
    end $function$;

CREATE FUNCTION public.list_signed_in_users(used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(github_id bigint, login text, name text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.name,
     p.avatar_url
    FROM user_account p
   WHERE (EXISTS ( SELECT
            FROM session s
           WHERE ((s.user_id = p.github_id) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, list_signed_in_users.created_after, list_signed_in_users.used_after, list_signed_in_users.ahead))))
   ORDER BY p.github_id;
END;

CREATE FUNCTION public.list_upgrade_requests(wanted_status text, after_time timestamp with time zone, after_id uuid, at_most integer, skipped bigint)
 RETURNS TABLE(login text, id uuid, status text, note text, requested_by bigint, requested_at timestamp with time zone, decided_at timestamp with time zone, payment_reference text, reason text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.login,
     u.id,
     u.status,
     u.note,
     u.requested_by,
     u.requested_at,
     u.decided_at,
     u.payment_reference,
     u.reason
    FROM (upgrade_request u
      JOIN organization o ON ((o.org_id = u.org_id)))
   WHERE (((list_upgrade_requests.wanted_status IS NULL) OR (u.status = list_upgrade_requests.wanted_status)) AND ((list_upgrade_requests.after_time IS NULL) OR (u.requested_at < list_upgrade_requests.after_time) OR ((u.requested_at = list_upgrade_requests.after_time) AND (u.id > list_upgrade_requests.after_id))))
   ORDER BY u.requested_at DESC, u.id
  OFFSET list_upgrade_requests.skipped
  LIMIT list_upgrade_requests.at_most;
END;

CREATE FUNCTION public.list_users(wanted bigint[])
 RETURNS TABLE(github_id bigint, login text, name text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.name,
     p.avatar_url
    FROM user_account p
   WHERE (p.github_id = ANY (list_users.wanted));
END;

CREATE FUNCTION public.list_named_users(ids bigint[], logins text[])
 RETURNS TABLE(github_id bigint, login text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.avatar_url
    FROM (user_account p
      JOIN member m ON ((m.person = p.github_id)))
   WHERE ((m.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND ((p.github_id = ANY (list_named_users.ids)) OR (lower(p.login) = ANY (list_named_users.logins))))
   ORDER BY p.updated_at;
END;

CREATE FUNCTION public.list_users_with_active_session(user_ids bigint[], used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(user_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT DISTINCT s.user_id
    FROM session s
   WHERE ((s.user_id = ANY (list_users_with_active_session.user_ids)) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, list_users_with_active_session.created_after, list_users_with_active_session.used_after, list_users_with_active_session.ahead));
END;

CREATE FUNCTION public.list_workspaces_by_user(holder bigint)
 RETURNS TABLE(org_id uuid, login text, role text, installed boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT m.org_id,
     o.login,
     m.role,
     ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL))
    FROM (member m
      JOIN organization o ON ((o.org_id = m.org_id)))
   WHERE (m.person = list_workspaces_by_user.holder)
   ORDER BY (lower(o.login)), m.org_id;
END;

CREATE FUNCTION public.select_workspace(session_hash bytea, selected uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE user_account SET last_workspace_id = select_workspace.selected
   WHERE (user_account.github_id = ( SELECT s.user_id AS person
            FROM session s
           WHERE ((s.id_hash = select_workspace.session_hash) AND (s.ended_at IS NULL))));
 UPDATE session SET workspace_id = select_workspace.selected
   WHERE ((session.id_hash = select_workspace.session_hash) AND (session.ended_at IS NULL));
END;

CREATE FUNCTION public.touch_session(session_hash bytea, at timestamp with time zone, ahead timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET last_seen_at =
         CASE
             WHEN (session.last_seen_at < touch_session.ahead) THEN GREATEST(session.last_seen_at, touch_session.at)
             ELSE touch_session.at
         END
   WHERE ((session.id_hash = touch_session.session_hash) AND (session.ended_at IS NULL));
END;

CREATE FUNCTION public.update_user_tokens(holder bigint, seen_version integer, sealed_access text, access_until timestamp with time zone, sealed_refresh text, refresh_until timestamp with time zone, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.user_account set access_token = sealed_access, access_expires_at = access_until,
        refresh_token = sealed_refresh, refresh_expires_at = refresh_until, tokens_version = seen_version + 1,
        refresh_leased_until = '-infinity', updated_at = at
      where github_id = holder and tokens_version = seen_version;
      return found;
    end $function$;

CREATE FUNCTION public.upsert_user(person bigint, person_login text, person_name text, person_avatar text, sealed_access text, access_until timestamp with time zone, sealed_refresh text, refresh_until timestamp with time zone, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO user_account AS known (github_id, login, name, avatar_url, access_token, access_expires_at, refresh_token, refresh_expires_at, tokens_version, created_at, updated_at)
   VALUES (upsert_user.person, upsert_user.person_login, upsert_user.person_name, upsert_user.person_avatar, upsert_user.sealed_access, upsert_user.access_until, upsert_user.sealed_refresh, upsert_user.refresh_until, 1, upsert_user.at, upsert_user.at) ON CONFLICT(github_id) DO UPDATE SET login = excluded.login, name = excluded.name, avatar_url = excluded.avatar_url, access_token = excluded.access_token, access_expires_at = excluded.access_expires_at, refresh_token = excluded.refresh_token, refresh_expires_at = excluded.refresh_expires_at, tokens_version = (known.tokens_version + 1), updated_at = excluded.updated_at;
END;
`;
