import type { MigrationInterface, QueryRunner } from 'typeorm';
import { enableTenantIsolation, grantLookup, grantToApp } from './tenancy-sql.js';

/** Hides the rows of a repository that the viewer cannot read. The viewer is read once in a statement. */
const restrictListToViewer = (table: string): string => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    (select nullif(current_setting('app.viewer', true), '') is null) or repository_id in (select r.id from repository r));`;

/** The columns of a found gate. */
const GATE_COLUMNS = `owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text,
  tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamptz,
  valid_until timestamptz, reason text, version text, accepted boolean`;

/**
 * Reads the gate of the release that has an artifact with the digest. Without a version it is the only one that has not shipped, else the
 * one that shipped last.
 */
const readGate = (name: string): string => `
  tenant := set_config('app.org_id', ${name}.org_id::text, true);
  select r.id, r.github_id, count(*) over () into repository_id, repository_github_id, same_name
  from public.repository r
  where r.org_id = ${name}.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null;
  end if;
  if repository_id is null then return next; return; end if;
  select l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)
  into release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason, version,
    accepted
  from public.release l
  where l.org_id = ${name}.org_id and l.repository_id = ${name}.repository_id
    -- Qualified, because a bare name would be the column, and each release would be compared with the digest of its own repository.
    and l.id = public.find_release_of_digest(${name}.org_id, ${name}.repository_id, wanted_version, wanted_digest);
  return next;`;

const RETURNS_BY_KEY = `org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamptz, revoked_at timestamptz,
  last_used_at timestamptz`;

/** Adds artifacts with their provenance bundles, and the gate of a digest. */
export class AddArtifacts1799000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table artifact (
        org_id uuid not null,
        id uuid not null,
        sequence bigint generated always as identity not null,
        release_id uuid not null,
        repository_id uuid not null,
        name text not null,
        digest text not null,
        commit_sha text not null,
        commit_source text not null,
        run_id text,
        stated_by jsonb not null,
        -- Whether a run or a verified bundle binds it, or a bundle may.
        binding text not null,
        received_at timestamptz not null,
        constraint artifact_pkey primary key (org_id, id),
        constraint artifact_commit_source_check check (commit_source = any (array['token', 'stated', 'candidate', 'branch_head'])),
        constraint artifact_binding_check check (binding = any (array['pending', 'provenance', 'run', 'none'])),
        constraint artifact_org_id_repository_id_fkey foreign key (org_id, repository_id) references repository (org_id, id),
        constraint artifact_org_id_release_id_fkey foreign key (org_id, release_id) references release (org_id, id)
      );
      create unique index artifact_once_a_run on artifact
        (org_id, release_id, name, digest, commit_sha, coalesce(run_id, stated_by ->> 'keyId'));
      create index artifact_by_release on artifact (org_id, release_id, sequence);
      create index artifact_by_digest on artifact (org_id, repository_id, digest, release_id);

      create table artifact_bundle (
        org_id uuid not null,
        artifact_id uuid not null,
        repository_id uuid not null,
        sha256 text not null,
        -- Null after the release was archived.
        bytes bytea,
        status text not null,
        reason text,
        provenance jsonb,
        received_at timestamptz not null,
        verified_at timestamptz,
        constraint artifact_bundle_pkey primary key (org_id, artifact_id, sha256),
        constraint artifact_bundle_status_check check (status = any (array['pending', 'verified', 'invalid'])),
        constraint artifact_bundle_org_id_artifact_id_fkey foreign key (org_id, artifact_id) references artifact (org_id, id),
        constraint artifact_bundle_org_id_repository_id_fkey foreign key (org_id, repository_id) references repository (org_id, id)
      );

      alter table event drop constraint event_type_check;
      alter table event add constraint event_type_check check (type = any (array['sync.started', 'sync.progress', 'sync.completed',
        'sync.failed', 'release.updated', 'review.updated', 'repo.updated', 'evidence.received', 'workspace.updated',
        'deployment.updated', 'artifact.updated']));

      alter table release add column accepted_digests text[] not null default '{}';`);
    for (const table of ['artifact', 'artifact_bundle']) {
      await runner.query(enableTenantIsolation(table) + restrictListToViewer(table) + grantToApp(table, 'read-write'));
    }
    await runner.query(`
      -- Leads from a digest to the release of the repository that has it as an artifact.
      create function find_release_of_digest(tenant uuid, wanted_repository uuid, wanted_version text, wanted_digest text) returns uuid
      language sql stable set search_path to 'pg_catalog', 'public'
      begin atomic
        select case when count(*) filter (where found.shipped_at is null) > 1 then null
          else (array_agg(found.id order by found.shipped_at desc nulls first))[1] end
        from (
          select l.id, l.shipped_at from release l
          where l.org_id = tenant and l.repository_id = wanted_repository and l.deleted_at is null and l.version = wanted_version
          union
          select l.id, l.shipped_at from artifact a join release l on l.org_id = a.org_id and l.id = a.release_id
          where wanted_version is null and a.org_id = tenant and a.repository_id = wanted_repository
            and a.digest = wanted_digest and a.binding <> 'none' and l.deleted_at is null
        ) found;
      end;
      create function find_gate_of_digest_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
      returns table (${RETURNS_BY_KEY}, ${GATE_COLUMNS})
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
      create function find_gate_of_digest_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
      returns table (org_id uuid, ${GATE_COLUMNS})
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
      end $function$;
      revoke all on function find_release_of_digest(uuid, uuid, text, text) from public;
      grant execute on function find_release_of_digest(uuid, uuid, text, text) to shipgate_lookup, shipgate_app;
      grant select (org_id, repository_id, release_id, digest, binding) on artifact to shipgate_lookup;
      ${grantLookup('find_gate_of_digest_by_key(bytea, text, text, text, text)')}
      ${grantLookup('find_gate_of_digest_by_owner(bigint, text, text, text, text)')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function find_gate_of_digest_by_key(bytea, text, text, text, text);
      drop function find_gate_of_digest_by_owner(bigint, text, text, text, text);
      drop function find_release_of_digest(uuid, uuid, text, text);
      delete from event where type = 'artifact.updated';
      alter table event drop constraint event_type_check;
      alter table event add constraint event_type_check check (type = any (array['sync.started', 'sync.progress', 'sync.completed',
        'sync.failed', 'release.updated', 'review.updated', 'repo.updated', 'evidence.received', 'workspace.updated',
        'deployment.updated']));
      alter table release drop column accepted_digests;
      drop table artifact_bundle;
      drop table artifact;`);
  }
}
