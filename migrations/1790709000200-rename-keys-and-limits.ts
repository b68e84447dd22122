import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameColumns, renameFunctions, renameTable, restoreFunctions } from './rename-sql.js';
import { grantLookup } from './tenancy-sql.js';

const FUNCTIONS = {
  take_rate_tokens: 'lease_rate_limit_tokens',
  forget_rate_windows: 'delete_old_rate_limit_windows',
  judge_setup_code: 'check_setup_code',
  list_sealing_keys: 'list_encryption_key_ids',
  find_invite: 'find_workspace_by_invite',
  find_upgrade_request: 'find_workspace_by_upgrade_request',
  prove_job: 'assert_job_lease',
  version_order: 'version_sort_key',
};

/** The functions in PL/pgSQL, whose text names the columns. */
const secretFunctions = (names: {
  readonly credentials: string;
  readonly privateKey: string;
  readonly createdAt: string;
}): string => `
  create or replace function complete_setup(presented_hash bytea, sealed text, at timestamptz) returns text
    language plpgsql security definer set search_path = pg_catalog, public
    as $$
    begin
      if exists (select from public.app_configuration) then return 'configured'; end if;
      if presented_hash is not null
        and not exists (select from public.setup_code c where c.code_hash = presented_hash) then
        return 'wrong_code';
      end if;
      insert into public.app_configuration (${names.credentials}, configured_at) values (sealed, at) on conflict do nothing;
      if not found then return 'configured'; end if;
      delete from public.setup_code;
      return 'stored';
    end $$;

  create or replace function replace_signing_key(old_id text, new_id text, new_public_key text, sealed text, at timestamptz)
    returns boolean
    language plpgsql security definer set search_path = pg_catalog, public
    as $$
    begin
      update public.signing_key k set retired_at = at, ${names.privateKey} = null
      where k.key_id = old_id and k.retired_at is null;
      if not found then return false; end if;
      insert into public.signing_key (key_id, public_key, ${names.privateKey}, ${names.createdAt})
      values (new_id, new_public_key, sealed, at);
      return true;
    end $$;`;

/** Names keys, the setup, rate limits and look-ups by the terms of the glossary. */
export class RenameKeysAndLimits1790709000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${renameTable('rate_window', 'rate_limit_window')}
      ${renameColumns('signing_key', { sealed_private_key: 'encrypted_private_key', made_at: 'created_at' })}
      ${renameColumns('setup_code', { made_at: 'created_at' })}
      ${renameColumns('app_configuration', { sealed_credentials: 'encrypted_credentials' })}
      ${secretFunctions({ credentials: 'encrypted_credentials', privateKey: 'encrypted_private_key', createdAt: 'created_at' })}
      ${renameFunctions(FUNCTIONS)}

      create function get_app_configuration() returns table (encrypted_credentials text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select c.encrypted_credentials from public.app_configuration c;
        end;
      ${grantLookup('get_app_configuration()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function get_app_configuration();
      ${restoreFunctions(FUNCTIONS)}
      ${renameColumns('app_configuration', { encrypted_credentials: 'sealed_credentials' })}
      ${renameColumns('setup_code', { created_at: 'made_at' })}
      ${renameColumns('signing_key', { encrypted_private_key: 'sealed_private_key', created_at: 'made_at' })}
      ${secretFunctions({ credentials: 'sealed_credentials', privateKey: 'sealed_private_key', createdAt: 'made_at' })}
      ${renameTable('rate_limit_window', 'rate_window')}
    `);
  }
}
