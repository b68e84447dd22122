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

// A list that is a parameter would be searched from its beginning for each release; a sub-select is looked up by hash.
const isIn = (repositories: string): string => `r.repository_id in (select unnest(${repositories}::uuid[]))`;

// Whoever closed it may open it again, so that this counts no longer than anything else.
const PENDING = `${LISTED} and (r.pull_state = 'closed' and r.pull_seen_at > $3) is not true`;
const PULL_COUNTS = `(r.pull_seen_at > $2 and r.pull_state = 'open') is true`;
const AUTHORS_KNOWN = `(r.valid_until > $1 and r.author_count is not null)`;
// All but releases of very many authors are told by the index alone.
const WROTE = `case when r.author_count <= 32 then $4 = any(r.few_author_ids)
  else (select $4 = any(written.author_ids) from release written where written.id = r.id) end`;

/** `reviewerEligibility` in SQL, of which all that is the same for a whole repository comes in as its standing. */
const STATUS = `case
  when not ${PULL_COUNTS} then 'unknown'
  when ${isIn('$5')} then 'eligible'
  when ${isIn('$6')} then
    case when not ${AUTHORS_KNOWN} then 'unknown' when ${WROTE} then 'ineligible' else 'eligible' end
  when ${isIn('$7')} then 'ineligible'
  else 'unknown' end`;

/** Finds the releases whose evidence pull request waits for approvals, those that changed last first. */
@Injectable()
export class PendingReviewsReader {
  /** A page by what is stored. */
  async find(tx: TenantTx, question: PendingQuestion, page: PageRequest): Promise<FoundReviews> {
    const { scope, person, standings, now } = question;
    const having = (holds: (standing: RepositoryStanding) => boolean): readonly string[] =>
      [...standings].filter(([, standing]) => holds(standing)).map(([id]) => id);
    const [row] = await tx.prepared<FoundRow>(
      `find_pending_reviews_${scope}`,
      `select counted.*,
         array(select r.id from release r where ${PENDING} ${scope === 'mine' ? `and ${STATUS} = 'eligible'` : ''}
           order by r.updated_at desc, r.id limit $11::bigint offset $12::bigint) as ids,
         case when counted.unknown > 0 then array(
           select r.id from release r where ${PENDING} and ${STATUS} = 'unknown' and (not ${PULL_COUNTS}
             or not ${isIn('$8')}
             or ${isIn('$9')} and not ${AUTHORS_KNOWN} and (r.evaluated_at < $10) is not false)
           order by r.pull_seen_at nulls first, r.updated_at desc, r.id limit ${READ_AT_MOST}) else '{}' end as to_be_read
       from (
         select count(*) as workspace_total,
           count(*) filter (where status = 'eligible') as eligible,
           count(*) filter (where status = 'unknown') as unknown
         -- Kept apart by the offset, so that the status is worked out once a release.
         from (select ${STATUS} as status from release r where ${PENDING} offset 0) as judged) as counted`,
      [
        now,
        before(now, lifetimeOf('pull')),
        before(now, FACT_LIFETIME_MS.pull),
        person,
        having(({ status, excludesAuthors }) => status === 'eligible' && !excludesAuthors),
        having(({ status, excludesAuthors }) => status === 'eligible' && excludesAuthors),
        having(({ status }) => status === 'ineligible'),
        having(({ lacks }) => lacks === null),
        having(({ excludesAuthors }) => excludesAuthors),
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
