import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/** The columns of a found gate, after those of the credential. */
const GATE = `owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text,
  tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamptz,
  valid_until timestamptz, reason text`;

/** Reads the repository and its release in the tenant `org_id` of the function. */
const readAsTenant = (name: string): string => `
  tenant := set_config('app.org_id', ${name}.org_id::text, true);
  -- During a rename two repositories may have one name. Then it names neither.
  select (array_agg(r.id))[1], max(r.github_id) into repository_id, repository_github_id
  from public.repository r
  where r.org_id = ${name}.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null
  having count(*) = 1;
  if found then
    select r.id, r.stage, r.tests_passing, r.evidence_approved, r.candidate_sha, r.candidate_shas, r.open_until,
      r.valid_until, case when r.open_until is null then r.blockers -> 0 ->> 'code' end
    into release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until,
      valid_until, reason
    from public.release r
    where r.org_id = ${name}.org_id and r.repository_id = ${name}.repository_id and r.version = wanted_version
      and r.deleted_at is null;
  end if;
  return next;`;

/**
 * Reads a gate together with the code of the first condition that keeps it closed, which a metric counts. Processes of the version before
 * call `read_gate_by_key` and `read_gate_by_owner`, which can be dropped in the next release.
 */
export class NameGateReasons1790717000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function find_gate_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text)
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
          ${readAsTenant('find_gate_by_key')}
        end $$;
      ${grantLookup('find_gate_by_key(bytea, text, text, text)')}

      create function find_gate_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text)
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
          ${readAsTenant('find_gate_by_owner')}
        end $$;
      ${grantLookup('find_gate_by_owner(bigint, text, text, text)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function find_gate_by_owner(bigint, text, text, text);
      drop function find_gate_by_key(bytea, text, text, text);
    `);
  }
}
