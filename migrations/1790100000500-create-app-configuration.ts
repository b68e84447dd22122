import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/** The app's credentials where the set-up gave them, and the codes that open the set-up before there are any. */
export class CreateAppConfiguration1790100000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table app_configuration (
        -- There is one app, so there is one row.
        only_one boolean primary key default true check (only_one),
        sealed_credentials text not null,
        configured_at timestamptz not null
      );
      create table setup_code (
        code_hash bytea primary key,
        made_at timestamptz not null
      );
      grant select, insert on app_configuration to shipgate_lookup;
      grant select, insert, delete on setup_code to shipgate_lookup;

      create function add_setup_code(hash bytea, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.setup_code (code_hash, made_at) values (hash, at) on conflict do nothing;
        end;
      ${grantLookup('add_setup_code(bytea, timestamptz)')}

      create function read_app_configuration()
        returns table (sealed_credentials text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select c.sealed_credentials from public.app_configuration c;
        end;
      ${grantLookup('read_app_configuration()')}

      -- What would become of a set-up with this code: what it is worth is known before anything is done for it.
      create function judge_setup_code(presented_hash bytea)
        returns text
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select case
            when exists (select from public.app_configuration) then 'configured'
            when exists (select from public.setup_code c where c.code_hash = presented_hash) then 'right'
            else 'wrong_code' end;
        end;
      ${grantLookup('judge_setup_code(bytea)')}

      -- The ids of the encryption keys that something which is kept needs, for whoever wants to retire one.
      create function list_sealing_keys()
        returns table (key_id text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select split_part(c.sealed_credentials, '.', 2) from public.app_configuration c
          union select split_part(p.access_token, '.', 2) from public.person p where p.access_token is not null
          union select split_part(p.refresh_token, '.', 2) from public.person p where p.refresh_token is not null;
        end;
      ${grantLookup('list_sealing_keys()')}

      -- One set-up wins, and with it every code ends. That it is done already is told before a code is looked at. A
      -- null code is an operator's, who has the environment of the service at hand.
      create function complete_setup(presented_hash bytea, sealed text, at timestamptz)
        returns text
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          if exists (select from public.app_configuration) then return 'configured'; end if;
          if presented_hash is not null
            and not exists (select from public.setup_code c where c.code_hash = presented_hash) then
            return 'wrong_code';
          end if;
          insert into public.app_configuration (sealed_credentials, configured_at) values (sealed, at)
          on conflict do nothing;
          if not found then return 'configured'; end if;
          delete from public.setup_code;
          return 'stored';
        end $$;
      ${grantLookup('complete_setup(bytea, text, timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function complete_setup(bytea, text, timestamptz);
      drop function list_sealing_keys();
      drop function judge_setup_code(bytea);
      drop function read_app_configuration();
      drop function add_setup_code(bytea, timestamptz);
      drop table setup_code, app_configuration;
    `);
  }
}
