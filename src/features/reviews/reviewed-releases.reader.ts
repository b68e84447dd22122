import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { PullFact } from '../../domain/facts/facts.js';
import { IN_REVIEW } from './pending-reviews.reader.js';
import type { CandidateBranches, ReviewedRelease } from './reviewed-release.js';

interface ReviewedRow {
  readonly id: string;
  readonly repository_id: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly milestone_url: string;
  readonly updated_at: Date;
  readonly pending: boolean;
  readonly ending: ReviewedRelease['ending'];
  readonly number: number | null;
  readonly url: string | null;
  readonly pull: PullFact | null;
  readonly pull_seen_at: Date | null;
  readonly author_ids: readonly string[] | null;
  readonly valid_until: Date | number;
}

interface LocatedRow extends ReviewedRow {
  readonly ref_prefixes: readonly string[];
  readonly refs_seen_at: Date | null;
}

const COLUMNS = `r.id, r.repository_id, o.login as org, repo.name as repo, r.version, r.milestone_url, r.updated_at,
  ${IN_REVIEW} as pending,
  case when r.shipped_at is not null then 'shipped' when r.cancelled_at is not null then 'cancelled' end as ending,
  pull.number, pull.url, seen.value as pull, seen.observed_at as pull_seen_at,
  r.author_ids, r.valid_until`;

const BRANCHES = `
  array(select substr(fact, length('refs:') + 1) from unnest(r.consulted) fact where fact like 'refs:%') as ref_prefixes,
  (select min(o.observed_at) from observation o
   where o.repository_id = r.repository_id and o.kind = 'refs' and 'refs:' || o.key = any(r.consulted)) as refs_seen_at`;

/** Of those of the releases `$1` that there are. */
const RELEASES = `from unnest($1::uuid[]) with ordinality as wanted (id, at)
  join release r on r.id = wanted.id
  join repository repo on repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  left join lateral (
    select p.number, p.url from evidence_pull p where p.release_id = r.id and p.abandoned_at is null
    order by p.opened_at desc, p.number desc limit 1) pull on true
  left join lateral (
    select o.value, o.observed_at from observation o
    where o.repository_id = r.repository_id and o.kind = 'pull' and o.key = pull.number::text limit 1) seen on true
  where r.deleted_at is null
  order by wanted.at`;

/** Reads what is stored of releases' reviews, of those that whoever opened the transaction may see. */
@Injectable()
export class ReviewedReleases {
  /** Those of the releases that there are, in the order of the ids. */
  async list(tx: TenantTx, ids: readonly string[]): Promise<readonly ReviewedRelease[]> {
    if (ids.length === 0) return [];
    const sql = `select ${COLUMNS} ${RELEASES}`;
    const rows = await tx.prepared<ReviewedRow>('list_reviewed_releases', sql, [ids]);
    return rows.map((row) => reviewedOf(row, null));
  }

  /** The same with what a live answer asks besides: where each candidate was found. */
  async listWithBranches(tx: TenantTx, ids: readonly string[]): Promise<readonly ReviewedRelease[]> {
    if (ids.length === 0) return [];
    const sql = `select ${COLUMNS}, ${BRANCHES} ${RELEASES}`;
    const rows = await tx.prepared<LocatedRow>('list_reviewed_releases_with_branches', sql, [ids]);
    return rows.map((row) => reviewedOf(row, { prefixes: row.ref_prefixes, seenAt: row.refs_seen_at }));
  }
}

const reviewedOf = (row: ReviewedRow, branches: CandidateBranches | null): ReviewedRelease => ({
  id: row.id,
  repositoryId: row.repository_id,
  org: row.org,
  repo: row.repo,
  version: row.version,
  milestoneUrl: row.milestone_url,
  updatedAt: row.updated_at,
  isPending: row.pending,
  ending: row.ending,
  pull: pullOf(row),
  authorIds: row.author_ids && row.author_ids.map(Number),
  validUntil: row.valid_until,
  branches,
});

function pullOf({ number, url, pull, pull_seen_at: observedAt }: ReviewedRow): ReviewedRelease['pull'] {
  if (number === null || url === null) return null;
  const key = { kind: 'pull', key: String(number) } as const;
  return { number, url, observation: observedAt && { ...key, value: pull, observedAt } };
}
