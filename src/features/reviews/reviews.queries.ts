import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { FactKind, Observation, PullFact } from '../../domain/facts/facts.js';
import type { Reviewer } from '../../domain/review/eligibility.js';
import { factLifetimeMs } from '../../domain/review/fresh-facts.js';
import { PENDING_REVIEW_CONDITION } from './pending-reviews.queries.js';

/** The stored data of a release that its review needs. */
export interface ReviewedRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly milestoneUrl: string;
  readonly updatedAt: Date;
  /** Whether it waits for approvals. */
  readonly isPending: boolean;
  /** How the release ended; null if it is active. */
  readonly ending: 'shipped' | 'cancelled' | null;
  /** The latest evidence pull request with its last observation; null before the first. */
  readonly pull: {
    readonly number: number;
    readonly url: string;
    readonly observation: Observation<'pull'> | null;
  } | null;
  /** The number of approvals that count by the last verdict; null if it is not stored. */
  readonly approvalsGiven: number | null;
  /** When the evidence pull request was opened, or when the release last came to wait for approvals if that is later. */
  readonly waitingSince: Date | null;
  /** The GitHub ids of the candidate's authors; null if they are not known. */
  readonly authorIds: readonly number[] | null;
  /** Until when its verdict and the authors are valid; in the distant past if the verdict was invalidated. */
  readonly validUntil: Date | number;
  /** Null if they were not requested. A live review needs them. */
  readonly branches: CandidateBranches | null;
}

/** The branches from which the candidate was derived. */
interface CandidateBranches {
  /** The keys of the `refs` facts. */
  readonly prefixes: readonly string[];
  /** When the least recently read of them was read; null if none was. */
  readonly seenAt: Date | null;
}

/** A release with its evidence pull request in one row. */
interface FoundRelease extends Omit<ReviewedRelease, 'pull' | 'authorIds' | 'branches'> {
  readonly pullNumber: number | null;
  readonly pullUrl: string | null;
  readonly pull: PullFact | null;
  readonly pullObservedAt: Date | null;
  /** Integers as texts. */
  readonly authorIds: readonly string[] | null;
}

const COLUMNS = `r.id, r.repository_id as "repositoryId", o.login as org, repo.name as repo, r.version,
  r.milestone_url as "milestoneUrl", r.updated_at as "updatedAt", ${PENDING_REVIEW_CONDITION} as "isPending",
  case when r.shipped_at is not null then 'shipped' when r.cancelled_at is not null then 'cancelled' end as ending,
  pull.number as "pullNumber", pull.url as "pullUrl", seen.value as pull, seen.observed_at as "pullObservedAt",
  r.author_ids as "authorIds", r.valid_until as "validUntil", r.approvals_given as "approvalsGiven",
  greatest(pull.opened_at, (select max(t.at) from stage_transition t
    where t.release_id = r.id and t.to_stage = 'EVIDENCING')) as "waitingSince"`;

const BRANCHES = `
  array(select substr(fact, length('refs:') + 1) from unnest(r.used_facts) fact where fact like 'refs:%') as prefixes,
  (select min(o.observed_at) from observation o
   where o.repository_id = r.repository_id and o.kind = 'refs' and 'refs:' || o.key = any(r.used_facts)) as "seenAt"`;

/** Selects the existing releases of the ids in `$1`. */
const RELEASES = `from unnest($1::uuid[]) with ordinality as wanted (id, at)
  join release r on r.id = wanted.id
  join repository repo on repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  left join lateral (
    select p.number, p.url, p.opened_at from evidence_pull_request p where p.release_id = r.id and p.abandoned_at is null
    order by p.opened_at desc, p.number desc limit 1) pull on true
  left join lateral (
    select o.value, o.observed_at from observation o
    where o.repository_id = r.repository_id and o.kind = 'pull' and o.key = pull.number::text limit 1) seen on true
  where r.deleted_at is null
  order by wanted.at`;

const toReviewedRelease = (row: FoundRelease, branches: CandidateBranches | null): ReviewedRelease => ({
  id: row.id,
  repositoryId: row.repositoryId,
  org: row.org,
  repo: row.repo,
  version: row.version,
  milestoneUrl: row.milestoneUrl,
  updatedAt: row.updatedAt,
  isPending: row.isPending,
  ending: row.ending,
  pull: toPull(row),
  approvalsGiven: row.approvalsGiven,
  waitingSince: row.waitingSince,
  authorIds: row.authorIds && row.authorIds.map(Number),
  validUntil: row.validUntil,
  branches,
});

function toPull({ pullNumber, pullUrl, pull, pullObservedAt }: FoundRelease): ReviewedRelease['pull'] {
  if (pullNumber === null || pullUrl === null) return null;
  const key = { kind: 'pull', key: String(pullNumber) } as const;
  const observation = pullObservedAt && { ...key, value: pull, observedAt: pullObservedAt };
  return { number: pullNumber, url: pullUrl, observation };
}

/** The observed facts about a user's eligibility, by repository id. */
export type ReviewerFacts = ReadonlyMap<string, readonly Observation[]>;

interface SharedObservation extends Observation {
  /** The ids of the repositories, separated by spaces. */
  readonly repositoryIds: string;
}

// Selects only whether the user belongs to the team, because a team may have thousands of members.
const MEMBERSHIP = `jsonb_build_object(
  'exists', o.value -> 'exists',
  'userIds', case when o.value -> 'userIds' @> to_jsonb($1::bigint) then jsonb_build_array($1::bigint) else '[]' end)`;

/** Reads the facts that decide whether a user may review: the rules, the user's permissions and teams. */
@Injectable()
export class ReviewsQueries {
  async listReviewerFacts(
    tx: TenantTransaction,
    reviewer: Reviewer,
    repositoryIds: readonly string[],
  ): Promise<ReviewerFacts> {
    if (repositoryIds.length === 0) return new Map();
    const rows = await tx.queryPrepared<Observation & { readonly repositoryId: string }>(
      'list_review_facts',
      `select o.repository_id as "repositoryId", o.kind, o.key, o.observed_at as "observedAt",
         case o.kind when 'team' then ${MEMBERSHIP} else o.value end as value
       from observation o
       where (o.kind = 'policy' and o.key = '' or o.kind = 'permission' and o.key = $2 or o.kind = 'team')
         and o.repository_id = any($3::uuid[])`,
      [reviewer.userId, reviewer.login, repositoryIds],
    );
    return groupByRepository(rows);
  }

  /**
   * Lists the fresh facts of every repository that apply to all of its releases. Of a policy only the review rules and the
   * effects of approvals are read. A value that many repositories share is read once, with the earliest time, and repositories
   * with equal facts share one array.
   */
  async listSharedReviewerFacts(tx: TenantTransaction, { userId, login }: Reviewer, now: Date): Promise<ReviewerFacts> {
    const since = (kind: FactKind): Date => new Date(now.getTime() - factLifetimeMs(kind));
    const rows = await tx.queryPrepared<SharedObservation>(
      'list_shared_reviewer_facts',
      `select kind, key, observed_at as "observedAt", repository_ids as "repositoryIds", case when kind <> 'policy' then value
           when value is null then '{"status": "invalid"}'
           else jsonb_build_object('status', 'valid', 'policy', jsonb_build_object(
             'evidencing', jsonb_build_object('requiredReviewers', value), 'deployment', deployment)) end as value
       from (
         select kind, key, value, deployment, min(observed_at) as observed_at,
           string_agg(repository_id::text, ' ') as repository_ids
         from (
           select o.repository_id, o.kind, o.key, o.observed_at, case o.kind when 'team' then ${MEMBERSHIP}
               when 'policy' then
                 case when o.value ->> 'status' = 'valid' then o.value #> '{policy,evidencing,requiredReviewers}' end
               else o.value end as value,
             case o.kind when 'policy' then o.value #> '{policy,deployment}' end as deployment
           from observation o
           where (o.kind = 'policy' and o.key = '' and o.observed_at > $3
             or o.kind = 'permission' and o.key = $2 and o.observed_at > $4
             or o.kind = 'team' and o.observed_at > $5)) as fresh
         group by kind, key, value, deployment) as shared`,
      [userId, login, since('policy'), since('permission'), since('team')],
    );
    return groupSharedByRepository(rows);
  }

  /** Lists the existing releases, in the order of the ids. */
  async listReleases(tx: TenantTransaction, ids: readonly string[]): Promise<readonly ReviewedRelease[]> {
    if (ids.length === 0) return [];
    const sql = `select ${COLUMNS} ${RELEASES}`;
    const rows = await tx.queryPrepared<FoundRelease>('list_evidence_reviews', sql, [ids]);
    return rows.map((row) => toReviewedRelease(row, null));
  }

  /** Lists the existing releases with the branches that a live review needs, in the order of the ids. */
  async listReleasesWithBranches(tx: TenantTransaction, ids: readonly string[]): Promise<readonly ReviewedRelease[]> {
    if (ids.length === 0) return [];
    const sql = `select ${COLUMNS}, ${BRANCHES} ${RELEASES}`;
    const rows = await tx.queryPrepared<FoundRelease & CandidateBranches>('list_evidence_reviews_with_branches', sql, [
      ids,
    ]);
    return rows.map((row) => toReviewedRelease(row, { prefixes: row.prefixes, seenAt: row.seenAt }));
  }
}

function groupByRepository(rows: readonly (Observation & { readonly repositoryId: string })[]): ReviewerFacts {
  const facts = new Map<string, Observation[]>();
  for (const { repositoryId, ...observation } of rows) {
    const known = facts.get(repositoryId) ?? [];
    known.push(observation);
    facts.set(repositoryId, known);
  }
  return facts;
}

function groupSharedByRepository(rows: readonly SharedObservation[]): ReviewerFacts {
  const facts = new Map<string, readonly Observation[]>();
  const none: readonly Observation[] = [];
  for (const { repositoryIds, ...observation } of rows) {
    // Repositories that shared an array share the extended one too.
    const extended = new Map<readonly Observation[], readonly Observation[]>();
    for (const id of repositoryIds.split(' ')) {
      const known = facts.get(id) ?? none;
      const more = extended.get(known) ?? [...known, observation];
      extended.set(known, more);
      facts.set(id, more);
    }
  }
  return facts;
}
