import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** What the gate says of a release, as columns of a function's answer. */
const GATE = `owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text,
          tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[],
          open_until timestamptz, valid_until timestamptz`;

/**
 * Enters the tenant for the rest of the transaction, and reads the repository and its release under the tenant's own
 * policy, each by a statement of its own: statistics of two columns together serve conditions on values, not joins.
 * Part of the function that `reader` names, which declares `tenant`.
 */
const readAsTenant = (reader: string): string => `
          tenant := set_config('app.org_id', ${reader}.org_id::text, true);
          -- While a rename is under way two may bear one name: then it names neither.
          select (array_agg(r.id))[1], max(r.github_id) into repository_id, repository_github_id
          from public.repository r
          where r.org_id = ${reader}.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null
          having count(*) = 1;
          if found then
            select r.id, r.stage, r.tests_passing, r.evidence_approved, r.candidate_sha, r.candidate_shas, r.open_until,
              r.valid_until
            into release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until,
              valid_until
            from public.release r
            where r.org_id = ${reader}.org_id and r.repository_id = ${reader}.repository_id and r.version = wanted_version
              and r.deleted_at is null;
          end if;
          return next;`;

/** Keys of CI systems, and the gate's one statement: key, tenant and release in a single round trip. */
export class CreateApiKeys1790000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table api_key (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        name text not null,
        prefix text not null,
        secret_hash bytea not null unique,
        scopes text[] not null check (scopes <@ array['evidence:write', 'gate:read'] and cardinality(scopes) > 0),
        -- Null is every repository of the workspace.
        repository_ids uuid[],
        created_by text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        primary key (org_id, id)
      );
      ${enableTenantIsolation('api_key')}
      ${grantToApp('api_key', 'read-write')}

      grant select (org_id, id, secret_hash, scopes, repository_ids, expires_at, revoked_at, last_used_at)
        on api_key to shipgate_lookup;
      create policy look_up on api_key for select to shipgate_lookup using (true);

      create function find_api_key(presented_hash bytea)
        returns table (org_id uuid, id uuid, scopes text[], repository_ids uuid[], expires_at timestamptz,
          revoked_at timestamptz, last_used_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select k.org_id, k.id, k.scopes, k.repository_ids, k.expires_at, k.revoked_at, k.last_used_at
          from public.api_key k where k.secret_hash = presented_hash;
        end;
      ${grantLookup('find_api_key(bytea)')}

      grant select on repository, release to shipgate_lookup;

      create function read_gate_by_key(presented_hash bytea, wanted_owner text, wanted_repository text,
          wanted_version text)
        returns table (org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamptz,
          revoked_at timestamptz, last_used_at timestamptz, ${GATE})
        language plpgsql volatile security definer set search_path = pg_catalog, public
        as $$
        #variable_conflict use_column
        declare
          tenant text;
        begin
          select k.org_id, k.id, k.scopes, k.repository_ids, k.expires_at, k.revoked_at, k.last_used_at,
            wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, key_id, scopes, repository_ids, expires_at, revoked_at, last_used_at, owner_matches
          from public.api_key k join public.organization o on o.org_id = k.org_id
          where k.secret_hash = presented_hash;
          if not found then return; end if;
          ${readAsTenant('read_gate_by_key')}
        end $$;
      ${grantLookup('read_gate_by_key(bytea, text, text, text)')}

      create function read_gate_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text,
          wanted_version text)
        returns table (org_id uuid, ${GATE})
        language plpgsql volatile security definer set search_path = pg_catalog, public
        as $$
        #variable_conflict use_column
        declare
          tenant text;
        begin
          select o.org_id, wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, owner_matches
          from public.organization o where o.github_id = owner_github_id;
          if not found then return; end if;
          ${readAsTenant('read_gate_by_owner')}
        end $$;
      ${grantLookup('read_gate_by_owner(bigint, text, text, text)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function read_gate_by_owner(bigint, text, text, text);
      drop function read_gate_by_key(bytea, text, text, text);
      revoke select on repository, release from shipgate_lookup;
      drop function find_api_key(bytea);
      drop table api_key;
    `);
  }
}
