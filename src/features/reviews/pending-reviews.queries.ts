import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { FACT_LIFETIME_MS } from '../../domain/facts/facts.js';
import type { EligibilityStatus, RepositoryEligibility } from '../../domain/review/eligibility.js';
import { factLifetimeMs } from '../../domain/review/fresh-facts.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { releaseSearchCondition, toSearchTerms } from '../releases/lists/release-search.queries.js';

/** The reviews that a page lists: those that the user may give now, or all that the user can see. */
export const REVIEW_SCOPES = ['mine', 'workspace'] as const;
export type ReviewScope = (typeof REVIEW_SCOPES)[number];

/** The reviews that a list contains. They match every part of the selection. */
export interface ReviewSelection {
  readonly scope: ReviewScope;
  /** Null means all. */
  readonly eligibility: EligibilityStatus | null;
  /** A part of a version, of a repository's name, or of both with a space between, ignoring case; null means all. */
  readonly search: string | null;
}

/** A selection with what is stored about the user. */
export interface PendingReviewsFilter extends ReviewSelection {
  /** The GitHub id of the user. */
  readonly userId: number;
  /** The eligibility of the user per repository. It has only repositories with stored facts about the user. */
  readonly eligibilities: ReadonlyMap<string, RepositoryEligibility>;
  readonly now: Date;
}

/** A page of pending reviews with counts, all read in one statement. */
export interface FoundReviews {
  readonly ids: readonly string[];
  readonly total: number;
  /** Counts for the search, regardless of the scope, the eligibility and the page. */
  readonly workspaceTotal: number;
  readonly unknown: number;
  /** Some of the unknown releases for which GitHub may have more facts, least recently read first. */
  readonly toBeRead: readonly string[];
}

/** The ids and the counts, which are integers as texts. */
interface FoundPage extends Pick<FoundReviews, 'ids' | 'toBeRead'> {
  readonly total: string;
  readonly workspaceTotal: string;
  readonly unknown: string;
}

/** SQL that checks whether the release `r` waits for approvals. */
export const PENDING_REVIEW_CONDITION = `(r.stage = 'EVIDENCING' and not r.evidence_approved
  and r.shipped_at is null and r.cancelled_at is null and r.deleted_at is null)`;

/** SQL that checks whether the release `r` waits for approvals and has a pull request that can be approved. */
const LISTED = `${PENDING_REVIEW_CONDITION} and r.pull_number is not null and r.pull_state is distinct from 'merged'`;

/** The maximum number of releases that a page refreshes. */
const MAX_PULLS_READ = 50;
/**
 * How long a release is not refreshed again after an evaluation, in milliseconds, because GitHub did not provide its missing
 * facts.
 */
const PAUSE_MS = 60_000;

// A closed pull request can be reopened, so its state expires like any other fact.
const PENDING = `${LISTED} and (r.pull_state = 'closed' and r.pull_seen_at > $3) is not true`;
const PULL_COUNTS = `(r.pull_seen_at > $2 and r.pull_state = 'open') is true`;
const AUTHORS_KNOWN = `(r.valid_until > $1 and r.author_count is not null)`;
// The index of pending reviews contains the authors, except for releases with very many authors, which have a small index of
// their own.
const WROTE = `case when r.author_count <= 32 then $4 = any(r.few_author_ids)
  else r.id in (select r.id from release r where ${LISTED} and r.author_count > 32 and $4 = any(r.author_ids)) end`;

/** The lists of repositories that a statement receives, by the eligibility of the user and whether GitHub may have more facts. */
const LISTS = ['eligible', 'eligible_unless_author', 'ineligible', 'undecided', 'undecided_excluding_authors'] as const;

// A list parameter would be scanned for each release; a sub-select is looked up by hash. Because the list also comes from a
// sub-select, the database can reuse one plan for lists of any length.
const isIn = (list: (typeof LISTS)[number]): string =>
  `repository_id in (select unnest((select $${5 + LISTS.indexOf(list)}::uuid[])))`;

/** Whether `reviewerEligibility` is known, and whether it is `eligible`, in SQL. The part that is the same for a whole repository comes from the repository lists. */
const IS_KNOWN = `${PULL_COUNTS} and (${isIn('eligible')} or ${isIn('ineligible')}
  or ${isIn('eligible_unless_author')} and ${AUTHORS_KNOWN})`;
const IS_ELIGIBLE = `${PULL_COUNTS} and (${isIn('eligible')}
  or ${isIn('eligible_unless_author')} and ${AUTHORS_KNOWN} and not ${WROTE})`;

/** The condition of the listed reviews, and their number by the counts. `none` is a selection that contradicts itself. */
const LISTINGS = {
  all: { condition: 'true', total: 'counted.workspace_total' },
  eligible: { condition: IS_ELIGIBLE, total: 'counted.eligible' },
  ineligible: {
    condition: `${IS_KNOWN} and (${IS_ELIGIBLE}) is not true`,
    total: '(counted.workspace_total - counted.eligible - counted.unknown)',
  },
  unknown: { condition: `(${IS_KNOWN}) is not true`, total: 'counted.unknown' },
  none: { condition: 'false', total: '0' },
} as const satisfies Readonly<Record<EligibilityStatus | 'all' | 'none', object>>;

/** Returns the eligibility of the selected reviews, regardless of the search. */
export function toListing({ scope, eligibility }: Omit<ReviewSelection, 'search'>): keyof typeof LISTINGS {
  if (scope === 'workspace') return eligibility ?? 'all';
  return eligibility === null || eligibility === 'eligible' ? 'eligible' : 'none';
}

/** Counts the pending reviews. The eligibility is looked up once per repository and not once per release. */
const toCounts = (pending: string): string => `
  select coalesce(sum(listed), 0) as workspace_total,
    coalesce(sum(case when ${isIn('eligible')} then known
      when ${isIn('eligible_unless_author')} then attributed - written end), 0) as eligible,
    coalesce(sum(listed - case when ${isIn('eligible')} or ${isIn('ineligible')} then known
      when ${isIn('eligible_unless_author')} then attributed else 0 end), 0) as unknown
  from (
    select repository_id, count(*) as listed, count(*) filter (where pull_counts) as known,
      count(*) filter (where pull_counts and authors_known) as attributed,
      count(*) filter (where pull_counts and authors_known and wrote) as written
    -- The offset prevents that the conditions are inlined and evaluated several times per release.
    from (
      select r.repository_id, ${PULL_COUNTS} as pull_counts, ${AUTHORS_KNOWN} as authors_known, ${WROTE} as wrote
      from release r where ${pending} offset 0) as checked
    group by repository_id) as of_repository`;

/** Selects the unknown releases for which GitHub may have more facts. */
const TO_BE_READ = `(not ${PULL_COUNTS} or case
  when ${isIn('eligible')} or ${isIn('ineligible')} or ${isIn('undecided')} then false
  when ${isIn('eligible_unless_author')} or ${isIn('undecided_excluding_authors')}
    then not ${AUTHORS_KNOWN} and (r.evaluated_at < $10) is not false
  else true end)`;

/** Finds the releases whose evidence pull request waits for approvals, last changed first. */
@Injectable()
export class PendingReviewsQueries {
  /** Finds a page by stored facts. */
  async find(tx: TenantTransaction, filter: PendingReviewsFilter, page: PageRequest): Promise<FoundReviews> {
    const { search, userId, eligibilities, now } = filter;
    const listing = toListing(filter);
    const { condition, total } = LISTINGS[listing];
    const pending = search === null ? PENDING : `${PENDING} and ${releaseSearchCondition('$13')}`;
    const [row] = await tx.queryPrepared<FoundPage>(
      `find_pending_reviews_${listing}_${search === null ? 'any' : 'searched'}`,
      `select counted.workspace_total as "workspaceTotal", counted.unknown, ${total} as total,
         -- Skips the search if there are none, for example for a user without fresh facts.
         case when ${total} > $12::bigint then array(
           select r.id from release r where ${pending} and ${condition}
           order by r.updated_at desc, r.id limit (select $11::bigint) offset (select $12::bigint)) else '{}' end as ids,
         case when counted.unknown > 0 then array(
           select r.id from release r where ${pending} and ${TO_BE_READ}
           order by r.pull_seen_at nulls first, r.updated_at desc, r.id limit ${MAX_PULLS_READ}) else '{}' end as "toBeRead"
       from (${toCounts(pending)}) as counted`,
      [
        now,
        before(now, factLifetimeMs('pull')),
        before(now, FACT_LIFETIME_MS.pull),
        userId,
        ...toArrayLiterals(eligibilities),
        before(now, PAUSE_MS),
        page.pageSize,
        pageOffset(page),
        ...(search === null ? [] : [toSearchTerms(search)]),
      ],
    );
    if (!row) throw new TypeError('The query for the count returned no row.');
    return {
      ids: row.ids,
      total: Number(row.total),
      workspaceTotal: Number(row.workspaceTotal),
      unknown: Number(row.unknown),
      toBeRead: row.toBeRead,
    };
  }

  /** Lists all releases that match the search and whose pull request is not known to be merged. */
  async listAll(tx: TenantTransaction, search: string | null): Promise<readonly string[]> {
    const rows = await tx.queryPrepared<{ readonly id: string }>(
      `list_pending_reviews_${search === null ? 'any' : 'searched'}`,
      `select r.id from release r where ${LISTED} ${search === null ? '' : `and ${releaseSearchCondition('$1')}`}
       order by r.updated_at desc, r.id`,
      search === null ? [] : [toSearchTerms(search)],
    );
    return rows.map(({ id }) => id);
  }
}

const before = (now: Date, milliseconds: number): Date => new Date(now.getTime() - milliseconds);

/** Formats the lists as array literals. The ids come from the database, so they need no escaping. */
function toArrayLiterals(eligibilities: PendingReviewsFilter['eligibilities']): readonly string[] {
  const listed = new Map<string | null, string[]>(LISTS.map((list) => [list, []]));
  for (const [id, eligibility] of eligibilities) listed.get(selectList(eligibility))?.push(id);
  return LISTS.map((list) => `{${listed.get(list)?.join(',') ?? ''}}`);
}

function selectList({ status, excludesAuthors, lacks }: RepositoryEligibility): (typeof LISTS)[number] | null {
  if (lacks !== null) return null;
  if (status === 'ineligible') return 'ineligible';
  if (status === 'eligible') return excludesAuthors ? 'eligible_unless_author' : 'eligible';
  return excludesAuthors ? 'undecided_excluding_authors' : 'undecided';
}
