import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SQL for what a gate says about the release `l`. */
const OF_RELEASE = `l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)`;
const INTO_RELEASE = `release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason,
    version, accepted`;

/** Reads the gate of a release by its version, with what it says about the digest; without a version, by the digest. */
const readGate = (name: string): string => `
  tenant := set_config('app.org_id', ${name}.org_id::text, true);
  select r.id, r.github_id, count(*) over (), ${OF_RELEASE}
  into repository_id, repository_github_id, same_name, ${INTO_RELEASE}
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = ${name}.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null; version := null; accepted := null;
  end if;
  if wanted_version is null and repository_id is not null then
    select ${OF_RELEASE}
    into ${INTO_RELEASE}
    from public.release l
    where l.org_id = ${name}.org_id and l.repository_id = ${name}.repository_id
      -- Qualified, because a bare name would be the column, and each release would be compared with the digest of its own repository.
      and l.id = public.find_release_of_digest(${name}.org_id, ${name}.repository_id, null, wanted_digest);
  end if;
  return next;`;

/**
 * Reads the gate of a version and a digest by the version alone: a release that the version names needs no look-up by its digest. The
 * functions answer as before.
 */
export class ReadDigestGatesByVersion1804000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function find_gate_of_digest_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
      returns table (org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamptz, revoked_at timestamptz,
        last_used_at timestamptz, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text,
        tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamptz,
        valid_until timestamptz, reason text, version text, accepted boolean)
      language plpgsql stable security definer set search_path to 'pg_catalog', 'public' as $function$
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
        ${readGate('find_gate_of_digest_by_key')}
      end $function$;
      create or replace function find_gate_of_digest_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
      returns table (org_id uuid, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text,
        tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamptz,
        valid_until timestamptz, reason text, version text, accepted boolean)
      language plpgsql stable security definer set search_path to 'pg_catalog', 'public' as $function$
      #variable_conflict use_column
      declare
        tenant text;
        same_name bigint;
      begin
        select o.org_id, wanted_owner is null or lower(o.login) = lower(wanted_owner) into org_id, owner_matches
        from public.organization o where o.github_id = owner_github_id;
        if not found then return; end if;
        ${readGate('find_gate_of_digest_by_owner')}
      end $function$;`);
  }

  /** Both forms answer alike, so an older version needs no other. */
  async down(): Promise<void> {}
}
