import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation, restrictToReleaseViewer } from './tenancy-sql.js';

/** The keys that the service signs with, and what it put into evidence pull requests under its signature. */
export class KeepSigningKeys1790400003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table signing_key (
        -- The thumbprint of the public key (RFC 7638).
        key_id text primary key,
        -- 32 bytes in base64url, as RFC 8037 writes them.
        public_key text not null,
        -- Wiped when the key is retired: nothing is signed with it any more, and what it signed needs the public one.
        sealed_private_key text,
        made_at timestamptz not null,
        retired_at timestamptz,
        check ((retired_at is null) = (sealed_private_key is not null))
      );
      -- Of several processes that start at once, one makes the key.
      create unique index signing_key_in_use on signing_key ((true)) where retired_at is null;
      grant select, insert, update on signing_key to shipgate_lookup;

      create function find_signing_key()
        returns table (key_id text, public_key text, sealed_private_key text, made_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select k.key_id, k.public_key, k.sealed_private_key, k.made_at from public.signing_key k
          where k.retired_at is null;
        end;
      ${grantLookup('find_signing_key()')}

      create function list_public_keys()
        returns table (key_id text, public_key text, made_at timestamptz, retired_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select k.key_id, k.public_key, k.made_at, k.retired_at from public.signing_key k;
        end;
      ${grantLookup('list_public_keys()')}

      create function add_signing_key(new_id text, new_public_key text, sealed text, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.signing_key (key_id, public_key, sealed_private_key, made_at)
          values (new_id, new_public_key, sealed, at) on conflict do nothing;
        end;
      ${grantLookup('add_signing_key(text, text, text, timestamptz)')}

      -- False where another key is in use by now than the one that was to be replaced.
      create function replace_signing_key(old_id text, new_id text, new_public_key text, sealed text, at timestamptz)
        returns boolean
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          update public.signing_key k set retired_at = at, sealed_private_key = null
          where k.key_id = old_id and k.retired_at is null;
          if not found then return false; end if;
          insert into public.signing_key (key_id, public_key, sealed_private_key, made_at)
          values (new_id, new_public_key, sealed, at);
          return true;
        end $$;
      ${grantLookup('replace_signing_key(text, text, text, text, timestamptz)')}

      drop function list_sealing_keys();
      create function list_sealing_keys()
        returns table (key_id text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select split_part(c.sealed_credentials, '.', 2) from public.app_configuration c
          union select split_part(p.access_token, '.', 2) from public.person p where p.access_token is not null
          union select split_part(p.refresh_token, '.', 2) from public.person p where p.refresh_token is not null
          union select split_part(k.sealed_private_key, '.', 2) from public.signing_key k
            where k.sealed_private_key is not null;
        end;
      ${grantLookup('list_sealing_keys()')}

      -- Each file byte by byte, also where the pull request holds another one since.
      create table published_evidence (
        org_id uuid not null,
        release_id uuid not null,
        path text not null,
        -- The name that git gives to the content.
        blob_sha text not null,
        content text not null,
        published_at timestamptz not null,
        primary key (org_id, release_id, path, blob_sha),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      ${enableTenantIsolation('published_evidence')}
      ${grantToApp('published_evidence', 'append-only')}
      ${restrictToReleaseViewer('published_evidence')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table published_evidence;
      drop function list_sealing_keys();
      create function list_sealing_keys()
        returns table (key_id text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select split_part(c.sealed_credentials, '.', 2) from public.app_configuration c
          union select split_part(p.access_token, '.', 2) from public.person p where p.access_token is not null
          union select split_part(p.refresh_token, '.', 2) from public.person p where p.refresh_token is not null;
        end;
      ${grantLookup('list_sealing_keys()')}
      drop function replace_signing_key(text, text, text, text, timestamptz);
      drop function add_signing_key(text, text, text, timestamptz);
      drop function list_public_keys();
      drop function find_signing_key();
      drop table signing_key;
    `);
  }
}
