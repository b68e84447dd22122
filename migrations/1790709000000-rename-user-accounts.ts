import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameColumns, renameFunctions, renameTable, restoreFunctions } from './rename-sql.js';
import { grantLookup } from './tenancy-sql.js';

const FUNCTIONS = {
  remember_person: 'upsert_user',
  read_people: 'list_users',
  read_person_tokens: 'get_user_tokens',
  store_person_tokens: 'update_user_tokens',
  claim_token_refresh: 'lease_token_refresh',
  begin_login: 'create_login_attempt',
  take_login: 'consume_login_attempt',
  open_session: 'create_session',
  list_signed_in_people: 'list_signed_in_users',
  list_workspaces_of: 'list_workspaces_by_user',
  forget_sessions: 'delete_old_sessions',
};

/** The functions in PL/pgSQL, whose text names the table. */
const tokenFunctions = (
  table: string,
  lease: string,
  names: { readonly lease: string; readonly update: string },
): string => `
  create or replace function ${names.lease}(holder bigint, seen_version integer, at timestamptz, until timestamptz,
      ahead timestamptz) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public
    as $$
    begin
      update public.${table} set ${lease} = until
      where github_id = holder and tokens_version = seen_version and (${lease} <= at or ${lease} >= ahead);
      return found;
    end $$;

  create or replace function ${names.update}(holder bigint, seen_version integer, sealed_access text, access_until timestamptz,
      sealed_refresh text, refresh_until timestamptz, at timestamptz) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public
    as $$
    begin
      update public.${table} set access_token = sealed_access, access_expires_at = access_until,
        refresh_token = sealed_refresh, refresh_expires_at = refresh_until, tokens_version = seen_version + 1,
        ${lease} = '-infinity', updated_at = at
      where github_id = holder and tokens_version = seen_version;
      return found;
    end $$;`;

/**
 * Names users and their sessions by the terms of the glossary. Only definer functions read these tables, and those in SQL follow a
 * renamed table or column by themselves. Every former function stays for processes of the version before.
 */
export class RenameUserAccounts1790709000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- In the order of the most frequent statement, which finds a session.
      lock table session, person, login_attempt in access exclusive mode;
      ${renameTable('person', 'user_account', { refresh_claimed_until: 'refresh_leased_until', last_workspace: 'last_workspace_id' })}
      ${renameColumns('session', { person: 'user_id', workspace: 'workspace_id' })}
      alter table session rename constraint session_person_fkey to session_user_id_fkey;
      alter index session_by_person rename to session_by_user;
      ${renameColumns('login_attempt', { begun_at: 'started_at' })}
      alter function announce_session() rename to notify_session_change;
      alter trigger announce_session on session rename to notify_session_change;
      alter function announce_removal() rename to notify_member_removal;
      alter function session_lives(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz) rename to is_session_active;
      ${renameFunctions(FUNCTIONS)}
      ${tokenFunctions('user_account', 'refresh_leased_until', { lease: 'lease_token_refresh', update: 'update_user_tokens' })}

      create function list_users_with_active_session(user_ids bigint[], used_after timestamptz, created_after timestamptz,
          ahead timestamptz) returns table (user_id bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select distinct s.user_id from public.session s
          where s.user_id = any (user_ids) and s.ended_at is null
            and public.is_session_active(s.created_at, s.last_seen_at, created_after, used_after, ahead);
        end;
      ${grantLookup('list_users_with_active_session(bigint[], timestamptz, timestamptz, timestamptz)')}

      create function get_last_workspace(holder bigint) returns table (workspace_id uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select u.last_workspace_id from public.user_account u where u.github_id = holder and u.last_workspace_id is not null;
        end;
      ${grantLookup('get_last_workspace(bigint)')}

      create function get_session(session_hash bytea, used_after timestamptz, created_after timestamptz, ahead timestamptz)
        returns table (user_id bigint, login text, name text, avatar_url text, last_seen_at timestamptz, org_id uuid,
          org_login text, role text, confirmed_at timestamptz, access_observed_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select s.user_id, u.login, u.name, u.avatar_url, s.last_seen_at, m.org_id, o.login, m.role, m.confirmed_at,
            m.access_observed_at
          from public.session s
          join public.user_account u on u.github_id = s.user_id
          left join public.member m on m.org_id = s.workspace_id and m.person = s.user_id
          left join public.organization o on o.org_id = m.org_id
          where s.id_hash = session_hash and s.ended_at is null
            and public.is_session_active(s.created_at, s.last_seen_at, created_after, used_after, ahead);
        end;
      ${grantLookup('get_session(bytea, timestamptz, timestamptz, timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function get_session(bytea, timestamptz, timestamptz, timestamptz);
      drop function get_last_workspace(bigint);
      drop function list_users_with_active_session(bigint[], timestamptz, timestamptz, timestamptz);
      ${restoreFunctions(FUNCTIONS)}
      alter function is_session_active(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz) rename to session_lives;
      alter function notify_member_removal() rename to announce_removal;
      alter trigger notify_session_change on session rename to announce_session;
      alter function notify_session_change() rename to announce_session;
      ${renameColumns('login_attempt', { started_at: 'begun_at' })}
      alter index session_by_user rename to session_by_person;
      alter table session rename constraint session_user_id_fkey to session_person_fkey;
      ${renameColumns('session', { user_id: 'person', workspace_id: 'workspace' })}
      ${renameTable('user_account', 'person', { refresh_leased_until: 'refresh_claimed_until', last_workspace_id: 'last_workspace' })}
      ${tokenFunctions('person', 'refresh_claimed_until', { lease: 'claim_token_refresh', update: 'store_person_tokens' })}
    `);
  }
}
