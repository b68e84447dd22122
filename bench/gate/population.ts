import { createHash } from 'node:crypto';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { buildSecret } from './organization-key.js';

/** The numbers of organizations, of repositories per organization and of releases per repository. */
export interface Population {
  readonly organizations: number;
  readonly repositories: number;
  readonly releases: number;
}

export const releasesIn = ({ organizations, repositories, releases }: Population): number =>
  organizations * repositories * releases;

/** Returns the digest of the artifact of a release, which is always the same. */
export const buildDigest = (organization: number, repository: number, release: number): string =>
  `sha256:${createHash('sha256').update(`${organization}/${repository}/${release}`).digest('hex')}`;

/** SQL for the digest of `buildDigest`. */
const DIGEST = `'sha256:' || encode(sha256((o || '/' || r || '/' || v)::bytea), 'hex')`;

/**
 * Fills a migrated database with one API key per organization. Ids are random, so they are as far apart in each index as possible.
 * The rules that connect stages and verdicts are those of `expectedAnswer`.
 */
export async function populate(superuserUrl: string, population: Population): Promise<void> {
  const { organizations, repositories, releases } = population;
  const hashes = Array.from({ length: organizations }, (_, at) => hashSecret(buildSecret(at + 1)));
  await withDedicatedClient(superuserUrl, async (client) => {
    // Parents are created by the statements before. Checking a million foreign keys would only take time.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
       select md5('organization ' || o)::uuid, o, 'org-' || o, o, 'pro', now() from generate_series(1, $1::int) o`,
      [organizations],
    );
    await client.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
       select md5('organization ' || o)::uuid, md5('key ' || o)::uuid, 'deploy', 'sgk_', hash, '{gate:read}', 'bench', now()
       from unnest($1::bytea[]) with ordinality as given (hash, o)`,
      [hashes],
    );
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, managed_at, created_at, updated_at)
       select md5('organization ' || o)::uuid, md5('repository ' || o || '/' || r)::uuid, o * 1000 + r, 'service-' || r,
         true, 'main', now(), now(), now()
       from generate_series(1, $1::int) o, generate_series(1, $2::int) r`,
      [organizations, repositories],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, stage, candidate_sha, candidate_shas, tests_passing, evidence_approved, open_until, valid_until,
         accepted_digests, created_at, updated_at)
       select md5('organization ' || o)::uuid, md5('release ' || o || '/' || r || '/' || v)::uuid,
         md5('repository ' || o || '/' || r)::uuid, 'v1.' || v || '.0', v, v, 'v1.' || v || '.0',
         'https://github.com/org-' || o || '/service-' || r || '/milestone/' || v,
         (array['DEPLOYMENT', 'EVIDENCING', 'TESTING'])[(o + r + v) % 3 + 1], sha, array[sha],
         (o + r + v) % 3 < 2, (o + r + v) % 3 = 0,
         case when (o + r + v) % 3 = 0 then now() + interval '1 day' end, now() + interval '1 day',
         array[${DIGEST}], now(), now()
       from generate_series(1, $1::int) o, generate_series(1, $2::int) r, generate_series(1, $3::int) v,
         lateral (select substr(md5(o || '/' || r) || md5(v::text), 1, 40)) as candidate (sha)`,
      [organizations, repositories, releases],
    );
    await client.query(
      `insert into artifact (org_id, id, release_id, repository_id, name, digest, commit_sha, commit_source, run_id, stated_by, binding,
         received_at)
       select md5('organization ' || o)::uuid, md5('artifact ' || o || '/' || r || '/' || v)::uuid,
         md5('release ' || o || '/' || r || '/' || v)::uuid, md5('repository ' || o || '/' || r)::uuid, 'image', ${DIGEST},
         substr(md5(o || '/' || r) || md5(v::text), 1, 40), 'token', v::text, '{}', 'run', now()
       from generate_series(1, $1::int) o, generate_series(1, $2::int) r, generate_series(1, $3::int) v`,
      [organizations, repositories, releases],
    );
    // Does the work of autovacuum before the measurement.
    await client.query('vacuum (freeze, analyze)');
    await client.query('checkpoint');
  });
}
