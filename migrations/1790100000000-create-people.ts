import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * People and their sessions. A person belongs to no tenant, and who a session's is must be known before its tenant is:
 * the service's role reaches these tables through the functions alone, one person or one session at a time.
 */
export class CreatePeople1790100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table person (
        github_id bigint primary key,
        login text not null,
        name text,
        avatar_url text not null,
        -- Sealed by the service. Null once the code host refused to renew them: then only a new sign-in brings others.
        access_token text,
        access_expires_at timestamptz,
        refresh_token text,
        refresh_expires_at timestamptz,
        -- Counts the pairs of tokens, so that a late writer never puts an older pair over a newer one.
        tokens_version integer not null default 0,
        -- A refresh token works once: whoever claims it until then is the only one to send it.
        refresh_claimed_until timestamptz not null default '-infinity',
        -- The workspace that was selected last.
        last_workspace uuid,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      grant select, insert, update on person to shipgate_lookup;

      create function remember_person(person bigint, person_login text, person_name text, person_avatar text,
          sealed_access text, access_until timestamptz, sealed_refresh text, refresh_until timestamptz, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.person as known (github_id, login, name, avatar_url, access_token, access_expires_at,
            refresh_token, refresh_expires_at, tokens_version, created_at, updated_at)
          values (person, person_login, person_name, person_avatar, sealed_access, access_until, sealed_refresh,
            refresh_until, 1, at, at)
          on conflict (github_id) do update set login = excluded.login, name = excluded.name,
            avatar_url = excluded.avatar_url, access_token = excluded.access_token,
            access_expires_at = excluded.access_expires_at, refresh_token = excluded.refresh_token,
            refresh_expires_at = excluded.refresh_expires_at, tokens_version = known.tokens_version + 1,
            updated_at = excluded.updated_at;
        end;
      ${grantLookup('remember_person(bigint, text, text, text, text, timestamptz, text, timestamptz, timestamptz)')}

      create function read_people(wanted bigint[])
        returns table (github_id bigint, login text, name text, avatar_url text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select p.github_id, p.login, p.name, p.avatar_url from public.person p where p.github_id = any (wanted);
        end;
      ${grantLookup('read_people(bigint[])')}

      create function read_person_tokens(person bigint)
        returns table (access_token text, access_expires_at timestamptz, refresh_token text,
          refresh_expires_at timestamptz, tokens_version integer)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select p.access_token, p.access_expires_at, p.refresh_token, p.refresh_expires_at, p.tokens_version
          from public.person p where p.github_id = person;
        end;
      ${grantLookup('read_person_tokens(bigint)')}

      create function read_last_workspace(holder bigint)
        returns table (workspace uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select p.last_workspace from public.person p where p.github_id = holder and p.last_workspace is not null;
        end;
      ${grantLookup('read_last_workspace(bigint)')}

      -- True for the one who may send this refresh token now. A claim that reaches as far as ahead is of a clock that
      -- was wrong, and holds nobody off.
      create function claim_token_refresh(holder bigint, seen_version integer, at timestamptz, until timestamptz,
          ahead timestamptz)
        returns boolean
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          update public.person set refresh_claimed_until = until
          where github_id = holder and tokens_version = seen_version
            and (refresh_claimed_until <= at or refresh_claimed_until >= ahead);
          return found;
        end $$;
      ${grantLookup('claim_token_refresh(bigint, integer, timestamptz, timestamptz, timestamptz)')}

      -- Null for the tokens forgets them: the code host takes them no more.
      create function store_person_tokens(holder bigint, seen_version integer, sealed_access text,
          access_until timestamptz, sealed_refresh text, refresh_until timestamptz, at timestamptz)
        returns boolean
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          update public.person set access_token = sealed_access, access_expires_at = access_until,
            refresh_token = sealed_refresh, refresh_expires_at = refresh_until, tokens_version = seen_version + 1,
            refresh_claimed_until = '-infinity', updated_at = at
          where github_id = holder and tokens_version = seen_version;
          return found;
        end $$;
      ${grantLookup('store_person_tokens(bigint, integer, text, timestamptz, text, timestamptz, timestamptz)')}

      create table login_attempt (
        -- Of the secret that the browser alone holds.
        secret_hash bytea primary key,
        return_to text not null,
        begun_at timestamptz not null
      );
      create index login_attempt_by_time on login_attempt (begun_at);
      grant select, insert, delete on login_attempt to shipgate_lookup;

      create function begin_login(attempt_hash bytea, path text, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.login_attempt (secret_hash, return_to, begun_at) values (attempt_hash, path, at);
        end;
      ${grantLookup('begin_login(bytea, text, timestamptz)')}

      -- An attempt ends with the first answer to it, whatever that says.
      create function take_login(attempt_hash bytea, begun_after timestamptz)
        returns table (return_to text)
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          with taken as (
            delete from public.login_attempt a where a.secret_hash = attempt_hash returning a.return_to, a.begun_at)
          select taken.return_to from taken where taken.begun_at > begun_after;
        end;
      ${grantLookup('take_login(bytea, timestamptz)')}

      create table session (
        -- SHA-256 of the id that the cookie carries.
        id_hash bytea primary key,
        person bigint not null references person (github_id),
        workspace uuid,
        created_at timestamptz not null,
        last_seen_at timestamptz not null,
        -- A session that has ended stays as such until it is forgotten: no late request can open it again.
        ended_at timestamptz
      );
      create index session_by_person on session (person) where ended_at is null;
      create index session_by_last_use on session (last_seen_at);
      grant select, insert, update, delete on session to shipgate_lookup;

      create function open_session(session_hash bytea, holder bigint, selected uuid, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.session (id_hash, person, workspace, created_at, last_seen_at)
          values (session_hash, holder, selected, at, at);
        end;
      ${grantLookup('open_session(bytea, bigint, uuid, timestamptz)')}

      -- A use that is dated from ahead on was noted by a clock that was wrong.
      create function touch_session(session_hash bytea, at timestamptz, ahead timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.session set
            last_seen_at = case when last_seen_at < ahead then greatest(last_seen_at, at) else at end
          where id_hash = session_hash and ended_at is null;
        end;
      ${grantLookup('touch_session(bytea, timestamptz, timestamptz)')}

      create function select_workspace(session_hash bytea, selected uuid)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.person set last_workspace = selected
          where github_id = (select s.person from public.session s where s.id_hash = session_hash and s.ended_at is null);
          update public.session set workspace = selected where id_hash = session_hash and ended_at is null;
        end;
      ${grantLookup('select_workspace(bytea, uuid)')}

      create function end_session(session_hash bytea, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.session set ended_at = at where id_hash = session_hash and ended_at is null;
        end;
      ${grantLookup('end_session(bytea, timestamptz)')}

      create function forget_sessions(used_before timestamptz, logins_before timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          delete from public.session where last_seen_at < used_before;
          delete from public.login_attempt where begun_at < logins_before;
        end;
      ${grantLookup('forget_sessions(timestamptz, timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function forget_sessions(timestamptz, timestamptz);
      drop function end_session(bytea, timestamptz);
      drop function select_workspace(bytea, uuid);
      drop function touch_session(bytea, timestamptz, timestamptz);
      drop function open_session(bytea, bigint, uuid, timestamptz);
      drop function take_login(bytea, timestamptz);
      drop function begin_login(bytea, text, timestamptz);
      drop function store_person_tokens(bigint, integer, text, timestamptz, text, timestamptz, timestamptz);
      drop function claim_token_refresh(bigint, integer, timestamptz, timestamptz, timestamptz);
      drop function read_last_workspace(bigint);
      drop function read_person_tokens(bigint);
      drop function read_people(bigint[]);
      drop function remember_person(bigint, text, text, text, text, timestamptz, text, timestamptz, timestamptz);
      drop table session, login_attempt, person;
    `);
  }
}
