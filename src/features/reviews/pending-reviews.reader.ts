import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { FACT_LIFETIME_MS } from '../../domain/release/facts.js';
import { lifetimeOf } from '../../domain/review/current-facts.js';
import type { RepositoryStanding } from '../../domain/review/reviewer-eligibility.js';
import { offsetOf, type PageRequest } from '../../http/pagination/page-request.js';
import type { ReviewScope } from './review-scope.js';

export interface PendingQuestion {
  readonly scope: ReviewScope;
  /** Who asks, by their id on the host. */
  readonly person: number;
  /** Where they stand in each repository that has a release in review; of any other nothing was read yet. */
  readonly standings: ReadonlyMap<string, RepositoryStanding>;
  readonly now: Date;
}

/** A page of pending reviews, and how many there are: all of one moment. */
export interface FoundReviews {
  readonly ids: readonly string[];
  readonly total: number;
  /** Whatever the scope and the page. */
  readonly workspaceTotal: number;
  readonly unknown: number;
  /** Some of those that are unknown by what the host may tell, those first that it was longest not asked about. */
  readonly toBeRead: readonly string[];
}

interface FoundRow {
  readonly ids: readonly string[];
  readonly workspace_total: string;
  readonly eligible: string;
  readonly unknown: string;
  readonly to_be_read: readonly string[];
}

/** Of the release `r`: it waits for approvals. */
export const IN_REVIEW = `(r.stage = 'EVIDENCING' and not r.evidence_approved
  and r.shipped_at is null and r.cancelled_at is null and r.deleted_at is null)`;

/** The same, with a pull request to be approved. */
const LISTED = `${IN_REVIEW} and r.pull_number is not null and r.pull_state is distinct from 'merged'`;

/** What a page has read again at most. */
const READ_AT_MOST = 50;
/** A release that was thought over just now lacks what the host does not tell. */
const PAUSE_MS = 60_000;

/** Finds the releases whose evidence pull request waits for approvals, those that changed last first. */
@Injectable()
export class PendingReviewsReader {
  /**
   * A page by what is stored. The conditions are `reviewerEligibility` in SQL, of which all that is the same for a whole
   * repository comes in as its standing.
   */
  async find(tx: TenantTx, question: PendingQuestion, page: PageRequest): Promise<FoundReviews> {
    const { scope, person, standings, now } = question;
    const known = [...standings.values()];
    const [row] = await tx.prepared<FoundRow>(
      `find_pending_reviews_${scope}`,
      `with review as (
         select *, case when not pull_counts or not (eligible or ineligible) then 'unknown'
             when ineligible or excluding and authors_known and wrote then 'ineligible'
             when excluding and not authors_known then 'unknown'
             else 'eligible' end as status
         from (
           select r.id, r.updated_at, r.repository_id, r.evaluated_at, r.pull_seen_at,
             coalesce(r.pull_seen_at > $2 and r.pull_state = 'open', false) as pull_counts,
             coalesce(standing.status = 'eligible', false) as eligible,
             coalesce(standing.status = 'ineligible', false) as ineligible,
             coalesce(standing.excluding, false) as excluding, coalesce(standing.lacking, true) as lacking,
             r.valid_until > $1 and r.author_ids is not null as authors_known,
             $8::bigint = any(r.author_ids) as wrote
           from release r
           -- Joined, because a list that is a parameter is searched from its beginning for each release.
           left join unnest($4::uuid[], $5::text[], $6::boolean[], $7::boolean[])
             as standing (repository_id, status, excluding, lacking) on standing.repository_id = r.repository_id
           where ${LISTED}
             -- Whoever closed it may open it again, so that this counts no longer than anything else.
             and (r.pull_state = 'closed' and r.pull_seen_at > $3) is not true) as known)
       select
         count(*) as workspace_total,
         count(*) filter (where status = 'eligible') as eligible,
         count(*) filter (where status = 'unknown') as unknown,
         array(select id from review ${scope === 'mine' ? `where status = 'eligible'` : ''}
           order by updated_at desc, id limit $10::bigint offset $11::bigint) as ids,
         array(select id from review where status = 'unknown' and (not pull_counts
             or lacking
             or excluding and not authors_known and (evaluated_at < $9) is not false)
           order by pull_seen_at nulls first, updated_at desc, id limit ${READ_AT_MOST}) as to_be_read
       from review`,
      [
        now,
        before(now, lifetimeOf('pull')),
        before(now, FACT_LIFETIME_MS.pull),
        [...standings.keys()],
        known.map(({ status }) => status),
        known.map(({ excludesAuthors }) => excludesAuthors),
        known.map(({ lacks }) => lacks !== null),
        person,
        before(now, PAUSE_MS),
        page.pageSize,
        offsetOf(page),
      ],
    );
    if (!row) throw new TypeError('A count has a row.');
    const workspaceTotal = Number(row.workspace_total);
    return {
      ids: row.ids,
      total: scope === 'mine' ? Number(row.eligible) : workspaceTotal,
      workspaceTotal,
      unknown: Number(row.unknown),
      toBeRead: row.to_be_read,
    };
  }

  /** All that are not known to be merged. */
  async listAll(tx: TenantTx): Promise<readonly string[]> {
    const rows = await tx.prepared<{ readonly id: string }>(
      'list_pending_reviews',
      `select r.id from release r where ${LISTED} order by r.updated_at desc, r.id`,
      [],
    );
    return rows.map(({ id }) => id);
  }
}

const before = (now: Date, milliseconds: number): Date => new Date(now.getTime() - milliseconds);
