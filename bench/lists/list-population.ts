import { randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { DEFAULT_POLICY } from '../../src/domain/policy/policy.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import { SESSION_SECRET } from '../measuring/shipgate.js';

/** The number of releases, and how many of them belong to the requesting workspace. Its repositories have 50 releases each. */
export interface ListPopulation {
  readonly releases: number;
  readonly own: number;
  /** The repositories of another workspace, and the releases of one. */
  readonly others?: { readonly repositories: number; readonly releases: number };
}

/** The requesting workspace and the login of its organization. */
export const OWN_WORKSPACE = { orgId: `md5('asking')::uuid`, login: 'org-0' };
/** The repository whose releases are listed. */
export const LISTED_REPOSITORY = 'service-7';
/** A member of the requesting workspace who can read all private repositories. */
const READS_ALL = 1;
/** A member who can read four of five private repositories. */
export const READS_MOST = 2;

const RELEASES_OF_A_REPOSITORY = 50;
const OTHERS = { repositories: 20, releases: RELEASES_OF_A_REPOSITORY };
const RELEASES_FOR_A_PROJECT = 100;
const REPOSITORIES_OF_A_PROJECT = 10;
/** Facts are fresh for minutes only, and the measurement takes longer. */
const FRESH = `now() + interval '1 day'`;
/** Authors of a release may not review it. */
const POLICY = JSON.stringify({
  status: 'valid',
  policy: {
    ...DEFAULT_POLICY,
    evidencing: {
      ...DEFAULT_POLICY.evidencing,
      requiredReviewers: [{ minApprovals: 1, teams: [], excludeReleaseAuthors: true }],
    },
  },
  digest: '',
  defaultBranch: 'main',
});

/** Counts what lists show of each repository. The triggers that count are disabled while the tables are filled. */
const COUNT_EVERYTHING = `
  insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
  select org_id, repository_id, sum(blocked), sum(awaiting), sum(passing), sum(evidenced), sum(recorded) from (
    select org_id, repository_id,
      (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'b')::integer as blocked,
      (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'a')::integer as awaiting,
      (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'p')::integer as passing,
      (evidence_at is not null)::integer as evidenced, 0 as recorded
    from release
    union all
    select org_id, repository_id, 0, 0, 0, 0, count(*) from deployment_record group by 1, 2) as counted
  group by 1, 2`;

/**
 * Fills a migrated database. Returns the `Cookie` header of the member who can read all repositories. Half of the repositories are
 * private. One of seven releases is blocked. Of the others, one third waits for approval, one third is ready and one third is in
 * progress. Their facts are fresh for a day.
 */
export async function populateLists(
  superuserUrl: string,
  { releases, own, others = OTHERS }: ListPopulation,
): Promise<string> {
  const session = randomBytes(32).toString('base64url');
  await withDedicatedClient(superuserUrl, async (client) => {
    // Parents are created by the statements before. Checking a million foreign keys would only take time.
    await client.query('set session_replication_role = replica');
    const ownRepositories = own / RELEASES_OF_A_REPOSITORY;
    await fill(client, {
      from: 0,
      organizations: 1,
      repositories: ownRepositories,
      releases: RELEASES_OF_A_REPOSITORY,
    });
    await fillProjects(client, own);
    const organizations = (releases - own) / (others.repositories * others.releases);
    if (organizations > 0) await fill(client, { from: 1, organizations, ...others });
    await client.query(
      `select upsert_user(p, 'person-' || p, null, 'https://avatars.example.com/' || p, null, null, null, null, now())
       from generate_series(1, 2) p`,
    );
    await client.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
       select ${OWN_WORKSPACE.orgId}, p, 'member', now(), now(), now()
       from generate_series(1, 2) p`,
    );
    await client.query(
      `insert into repository_access (org_id, person, repository_github_id)
       select r.org_id, p, r.github_id from repository r, generate_series(1, 2) p
       where r.org_id = ${OWN_WORKSPACE.orgId} and r.private and (p = ${READS_ALL} or r.github_id % 10 <> 0)`,
    );
    await client.query(`select create_session($1, ${READS_ALL}, ${OWN_WORKSPACE.orgId}, now())`, [hashSecret(session)]);
    await client.query(COUNT_EVERYTHING);
    // Does the work of autovacuum before the measurement. The second vacuum needs the frozen rows of the first.
    await client.query('vacuum (freeze)');
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
  const signer = new Signer(cookieOptions(SESSION_SECRET).secret as Buffer);
  return `connect.sid=${encodeURIComponent(signer.sign(session))}`;
}

/** Confirms the members again, as the next answer of GitHub would. */
export const confirmMembers = (superuserUrl: string): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query('update member set confirmed_at = now(), access_observed_at = now()'),
  );

/** Creates projects of the requesting workspace. Each has a release of each of its repositories. */
async function fillProjects(
  client: { query(statement: string, parameters: readonly number[]): Promise<unknown> },
  own: number,
): Promise<void> {
  const [projects, repositories] = [own / RELEASES_FOR_A_PROJECT, own / RELEASES_OF_A_REPOSITORY];
  await client.query(
    `insert into project (org_id, id, name, lower_name, description, lower_description, created_at, updated_at)
     select ${OWN_WORKSPACE.orgId}, md5('project ' || p)::uuid, 'Project ' || p, 'project ' || p, 'What belongs together.',
       'what belongs together.', now(), now() - make_interval(secs => p * 7919 % 1000003)
     from generate_series(1, $1::int) p`,
    [projects],
  );
  await client.query(
    `insert into project_repository (org_id, project_id, repository_id, release_id)
     select ${OWN_WORKSPACE.orgId}, md5('project ' || p)::uuid, md5('repository 0/' || r)::uuid,
       md5('release 0/' || r || '/' || p % ${RELEASES_OF_A_REPOSITORY} + 1)::uuid
     from generate_series(1, $1::int) p, generate_series(1, ${REPOSITORIES_OF_A_PROJECT}) n,
       lateral (select (p * 31 + n) % $2::int + 1 as r)`,
    [projects, repositories],
  );
}

async function fill(
  client: { query(statement: string, parameters: readonly (number | string)[]): Promise<unknown> },
  {
    from,
    organizations,
    repositories,
    releases,
  }: Readonly<Record<'from' | 'organizations' | 'repositories' | 'releases', number>>,
): Promise<void> {
  const to = from + organizations - 1;
  const orgId = `case o when 0 then ${OWN_WORKSPACE.orgId} else md5('organization ' || o)::uuid end`;
  await client.query(
    `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
     select ${orgId}, o + 1, 'org-' || o, o + 1, 'pro', now() from generate_series($1::int, $2::int) o`,
    [from, to],
  );
  await client.query(
    `insert into repository (org_id, id, github_id, name, private, default_branch, managed_at, created_at, updated_at)
     select ${orgId}, md5('repository ' || o || '/' || r)::uuid, o::bigint * 10000 + r, 'service-' || r, r % 2 = 0, 'main',
       now(), now(), now()
     from generate_series($1::int, $2::int) o, generate_series(1, $3::int) r`,
    [from, to, repositories],
  );
  await client.query(
    `insert into repository_sync (org_id, repository_id, status, synced_at) select org_id, id, 'done', now() from repository
     on conflict do nothing`,
    [],
  );
  await client.query(
    `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
       milestone_url, stage, blocked, blockers, blocker_count, candidate_sha, tests_passing, evidence_approved, open_until,
       valid_until, evaluated_at, created_at, updated_at, author_ids,
       pull_number, pull_state, pull_seen_at, candidate_shas, evidence_at)
     select ${orgId}, md5('release ' || o || '/' || r || '/' || v)::uuid, md5('repository ' || o || '/' || r)::uuid,
       'v1.' || v || '.0', v, v, 'v1.' || v || '.0', 'https://github.com/org-' || o || '/service-' || r || '/milestone/' || v,
       (array['DEPLOYMENT', 'EVIDENCING', 'TESTING'])[(r + v) % 3 + 1], (r + v) % 7 = 0,
       case when (r + v) % 3 > 0 or (r + v) % 7 = 0 then
         '[{"code": "approvals_missing", "detail": "1 of 2 approvals given.", "actor": "reviewer"}]'::jsonb else '[]' end,
       case when (r + v) % 3 > 0 or (r + v) % 7 = 0 then 1 else 0 end,
       substr(md5(o || '/' || r) || md5(v::text), 1, 40), (r + v) % 3 < 2, (r + v) % 3 = 0,
       case when (r + v) % 3 = 0 and (r + v) % 7 > 0 then now() + interval '1 day' end, now() + interval '1 day', now(), now(),
       -- An order that differs from that of the stored rows.
       now() - make_interval(secs => (o::bigint * 31 + r * 7919 + v * 104729) % 1000003),
       array[${READS_MOST} + v % 7, 1000 + v], case when (r + v) % 3 < 2 then v end,
       case when (r + v) % 3 < 2 then 'open' end, case when (r + v) % 3 < 2 then ${FRESH} end,
       array[substr(md5(o || '/' || r) || md5(v::text), 1, 40)],
       now() - make_interval(secs => (o::bigint * 17 + r * 104729 + v * 7919) % 1000003)
     from generate_series($1::int, $2::int) o, generate_series(1, $3::int) r, generate_series(1, $4::int) v`,
    [from, to, repositories, releases],
  );
  await client.query(
    `insert into evidence_pull_request (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
       commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
     select org_id, id, id, repository_id, milestone_number, replace(milestone_url, 'milestone', 'pull'),
       'shipgate/evidence/' || version, 'main', candidate_sha, array[candidate_sha], '[]', candidate_sha, 's', updated_at,
       updated_at
     from release where stage <> 'TESTING' and org_id in (select ${orgId} from generate_series($1::int, $2::int) o)`,
    [from, to],
  );
  await client.query(
    `insert into observation (org_id, repository_id, kind, key, value, observed_at)
     select org_id, repository_id, 'pull', number::text, '{"state": "open"}', ${FRESH} from evidence_pull_request
     where org_id in (select ${orgId} from generate_series($1::int, $2::int) o)
     union all
     select r.org_id, r.id, kind, key, value::jsonb, ${FRESH} from repository r, (values
       ('policy', '', $3), ('permission', 'person-${READS_MOST}', '{"userId": ${READS_MOST}, "level": "write"}')
     ) as fact (kind, key, value)
     where org_id in (select ${orgId} from generate_series($1::int, $2::int) o)`,
    [from, to, POLICY],
  );
  await client.query(
    `insert into deployment_record (org_id, id, repository_id, version, kind, commit_sha, environment, deployed_at,
       deployed_by, approvers, lead_time_seconds, recorded_at)
     select org_id, md5('record ' || id)::uuid, repository_id, version, 'release', candidate_sha, 'production',
       updated_at, 'ada', '["rita"]', 86400, updated_at
     from release where org_id in (select ${orgId} from generate_series($1::int, $2::int) o)`,
    [from, to],
  );
  await measure(client, `select ${orgId} from generate_series($1::int, $2::int) o`, [from, to]);
}

/** Inserts tests and coverage of each candidate, and tests of an earlier commit. */
async function measure(
  client: { query(statement: string, parameters: readonly (number | string)[]): Promise<unknown> },
  organizations: string,
  of: readonly [number, number],
): Promise<void> {
  await client.query(
    `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, commit_sha, commit_source,
       uploaded_by, items, metrics, reports, flags, sha256, received_at)
     select org_id, md5(kind || id)::uuid, id, repository_id, 'build', environment, kind,
       case kind when 'before' then repeat('0', 40) else candidate_sha end, 'token', '{}', items::jsonb, '{}', '[]', '[]',
       md5(kind || id), evidence_at
     from release, (values
       ('before', 'ci', '[{"kind": "unit_tests", "metrics": {"unit_tests": {"total": 9, "passed": 8, "failed": 1, "skipped": 0}}, "failures": []}]'),
       ('test', 'staging', '[{"kind": "unit_tests", "metrics": {"unit_tests": {"total": 9, "passed": 9, "failed": 0, "skipped": 0}}, "failures": []}]'),
       ('cover', 'staging', '[{"kind": "coverage", "metrics": {"coverage": {"line_percent": 84.5, "branch_percent": null}}, "failures": []}]')
     ) as uploaded (kind, environment, items)
     where org_id in (${organizations})`,
    of,
  );
  await client.query(
    `insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
     select org_id, repository_id, id, kind, environment from release, (values
       ('unit_tests', 'ci'), ('unit_tests', 'staging'), ('coverage', 'staging')) as facet (kind, environment)
     where org_id in (${organizations})`,
    of,
  );
}
