import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/** Lets a command encrypt stored secrets with another key, beside running processes. */
export class ReplaceEncryptedSecrets1790717000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Secrets that were encrypted with other keys than the given one. Tokens of repositories are missing: they live for an hour.
      create function list_secrets_of_other_keys(current_key text, wanted integer)
        returns table (kind text, owner text, ciphertext text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select secret.kind, secret.owner, secret.ciphertext
          from (
            select 'app_credentials' as kind, '' as owner, c.encrypted_credentials as ciphertext from public.app_configuration c
            union all
            select 'signing_key', k.key_id, k.encrypted_private_key from public.signing_key k
            where k.encrypted_private_key is not null
            union all
            select 'access_token', u.github_id::text, u.access_token from public.user_account u where u.access_token is not null
            union all
            select 'refresh_token', u.github_id::text, u.refresh_token from public.user_account u where u.refresh_token is not null
          ) secret
          where split_part(secret.ciphertext, '.', 2) <> current_key
          limit wanted;
        end;
      ${grantLookup('list_secrets_of_other_keys(text, integer)')}

      grant update (encrypted_credentials) on app_configuration to shipgate_lookup;

      -- Returns whether the secret was still the former one, and was replaced.
      create function replace_encrypted_secret(kind text, owner text, former text, successor text) returns boolean
        language plpgsql volatile security definer set search_path = pg_catalog, public
        as $$
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
        end $$;
      ${grantLookup('replace_encrypted_secret(text, text, text, text)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function replace_encrypted_secret(text, text, text, text);
      revoke update (encrypted_credentials) on app_configuration from shipgate_lookup;
      drop function list_secrets_of_other_keys(text, integer);
    `);
  }
}
