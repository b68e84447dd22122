import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Outcome, ReleaseOrder } from '../../../domain/release/outcome.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import type { OutcomeCountsDto } from './release-list.dto.js';
import {
  type ActiveFreezes,
  type DatedReleaseSummary,
  ReleaseSummariesQueries,
  activeFreezesSql,
  type FoundFreezes,
  isNothingFrozenSql,
  type StoredSummary,
  storedSummariesSql,
  toActiveFreezes,
} from './release-summaries.queries.js';

/** A filter of active releases. */
export interface ReleaseFilter {
  /** A part of a repository name, of a version, or of both with a space between, ignoring case; null means all. */
  readonly search: string | null;
  /** Null means all. */
  readonly outcome: Outcome | null;
  readonly order: ReleaseOrder;
}

/** Active releases in their order. */
interface Found<Release> {
  readonly releases: readonly Release[];
  /** Counts for the search, regardless of the outcome and the page. */
  readonly counts: OutcomeCountsDto;
}

/** The counts of the database. All other releases are in progress. */
type StoredCounts = Omit<OutcomeCountsDto, 'in_progress'>;

/** A summary with its position in the page, from 1. The first row also has the freezes, and the counts if nothing is frozen. */
type FoundSummary = StoredSummary & {
  readonly at: string | null;
  readonly counts: StoredCounts | null;
  readonly freezes: FoundFreezes | null;
};

const NOT_FROZEN: ActiveFreezes = { ofWorkspace: [], byRepository: new Map(), planned: [] };

/** The values of `release.list_status`, as SQL. The schema derives them: awaiting is for an approval, passing for any other release. */
const LIST_STATUS = { blocked: `'b'`, awaiting: `'a'`, passing: `'p'` } as const;

// Sub-selects supply time and page, so that the statement is planned once and not for each value.
const OPEN = `ready_until > (select $1::timestamptz)`;

/**
 * `outcomeOf` in SQL, one condition per outcome. Without a freeze the freeze condition is left out, because up to forty thousand
 * rows are checked.
 */
function toConditions(frozen: string | null): Readonly<Record<Outcome, string>> {
  const blocked =
    frozen === null
      ? `list_status = ${LIST_STATUS.blocked}`
      : `(list_status = ${LIST_STATUS.blocked} or ${frozen} and (${OPEN}) is not true)`;
  return {
    blocked,
    needs_approval: `not ${blocked} and list_status = ${LIST_STATUS.awaiting}`,
    ready_to_deploy: `not ${blocked} and list_status = ${LIST_STATUS.passing} and ${OPEN}`,
    in_progress: `not ${blocked} and list_status = ${LIST_STATUS.passing} and (${OPEN}) is not true`,
  };
}

/**
 * The orders in SQL. A freeze blocks almost everything at once, so it does not change the order. The indexes have the first two; for
 * the others all matches are sorted.
 */
const ORDERS: Readonly<Record<ReleaseOrder, string>> = {
  updated: 'updated_at desc, id',
  urgency: `(list_status <> ${LIST_STATUS.blocked}), due_on, updated_at desc, id`,
  due: 'due_on, updated_at desc, id',
  repository: 'lower_name, repository_id, version_order desc, id',
};

const NAMED_RELEASES =
  'release join (select id as named_id, lower_name from repository) as named on named_id = repository_id';

/** How much of the workspace is frozen. Each case has its own statement. */
function frozenPart({ ofWorkspace, byRepository }: ActiveFreezes): 'everything' | 'some' | 'nothing' {
  if (ofWorkspace.length > 0) return 'everything';
  return byRepository.size > 0 ? 'some' : 'nothing';
}

const ACTIVE = 'shipped_at is null and cancelled_at is null and deleted_at is null';

/**
 * The search term in lower case: the whole term, its part for the repository and its part for the version. A term such as
 * `catalog v0.9` names both, as the lists show them. The part for the repository is null if the term begins with a space, and the part for
 * the version is empty, so that it matches every version, if the term has no space.
 */
export function toSearchTerms(search: string): readonly [term: string, repository: string | null, version: string] {
  const term = search.toLowerCase();
  const [, repository = null, version = ''] = /^(\S+)\s*(.*?)\s*$/su.exec(term) ?? [];
  return [term, repository, version];
}

/**
 * SQL that checks whether a release matches the search terms, a parameter of `toSearchTerms`. The index of the active
 * releases contains every column of the conditions, so the rows are not read. The search cannot be an
 * index condition: row-level security permits only leakproof operators, and no substring search is leakproof. So repositories, of
 * which there are few, are searched first.
 */
export const releaseSearchCondition = (terms: string): string => {
  const [term, repository, version] = [1, 2, 3].map((position) => `(select (${terms}::text[])[${position}])`);
  return `(strpos(lower_version, ${term}) > 0 or strpos(lower_version, ${version}) > 0 and repository_id in (
  select id from repository
  where strpos(case when strpos(${repository}, '/') > 0 then (select lower(login) from organization) || '/' || lower_name
    else lower_name end, ${repository}) > 0))`;
};

/** Counts row by row, for searches without stored counts. */
const counted = (matches: string, is: Readonly<Record<Outcome, string>>): string => `
  select count(*) as all, count(*) filter (where ${is.blocked}) as blocked,
    count(*) filter (where ${is.needs_approval}) as needs_approval,
    count(*) filter (where ${is.ready_to_deploy}) as ready_to_deploy
  from release where ${matches}`;

/**
 * Adds up the stored counts of the repositories. Only releases whose gate may be open are counted row by row, because their state
 * depends on the time. They are few, because facts are fresh for minutes.
 */
function storedCounts(frozen: string | null): string {
  const where = frozen ?? 'false';
  return `
    select tally.all, tally.blocked + tally.frozen_awaiting + tally.frozen_passing - opened.frozen_awaiting - opened.frozen_passing
        as blocked,
      tally.awaiting - tally.frozen_awaiting + opened.frozen_awaiting as needs_approval,
      opened.passing as ready_to_deploy
    from (
      select coalesce(sum(blocked + awaiting + passing), 0) as all, coalesce(sum(blocked), 0) as blocked,
        coalesce(sum(awaiting), 0) as awaiting,
        coalesce(sum(awaiting) filter (where ${where}), 0) as frozen_awaiting,
        coalesce(sum(passing) filter (where ${where}), 0) as frozen_passing
      from repository_count_change) as tally, (
      select count(*) filter (where list_status = ${LIST_STATUS.passing}) as passing,
        count(*) filter (where list_status = ${LIST_STATUS.awaiting} and ${where}) as frozen_awaiting,
        count(*) filter (where list_status = ${LIST_STATUS.passing} and ${where}) as frozen_passing
      from release where ${ACTIVE} and list_status <> ${LIST_STATUS.blocked} and ${OPEN}) as opened`;
}

/** The parts of a statement about active releases. */
interface ActiveStatement {
  readonly name: string;
  /** A query of one row, the counts. */
  readonly counts: string;
  /** A query of the ids. */
  readonly ids: string;
  readonly params: readonly unknown[];
}

function buildActiveStatement(
  { search, outcome, order }: ReleaseFilter,
  page: PageRequest | null,
  { freezes, now }: { readonly freezes: ActiveFreezes; readonly now: Date },
): ActiveStatement {
  const params: unknown[] = [now, page?.pageSize ?? null, page ? pageOffset(page) : 0];
  const given = (value: unknown, type: string): string => `$${params.push(value)}::${type}`;
  const frozen = frozenPart(freezes);
  const isFrozen = {
    everything: () => 'true',
    some: () => `repository_id = any(${given([...freezes.byRepository.keys()], 'uuid[]')})`,
    nothing: () => null,
  }[frozen]();
  const is = toConditions(isFrozen);
  const matches =
    search === null ? ACTIVE : `${ACTIVE} and ${releaseSearchCondition(given(toSearchTerms(search), 'text[]'))}`;
  return {
    name: `${search === null ? 'any' : 'searched'}_${outcome ?? 'all'}_${frozen}_by_${order}`,
    counts: search === null ? storedCounts(isFrozen) : counted(matches, is),
    ids: `select id from ${order === 'repository' ? NAMED_RELEASES : 'release'} where ${matches} ${outcome === null ? '' : `and ${is[outcome]}`}
      order by ${ORDERS[order]} limit (select $2::bigint) offset (select $3::bigint)`,
    params,
  };
}

function toCounts(stored: StoredCounts): OutcomeCountsDto {
  const { all, blocked, needs_approval, ready_to_deploy } = stored;
  return {
    all,
    blocked,
    needs_approval,
    ready_to_deploy,
    in_progress: all - blocked - needs_approval - ready_to_deploy,
  };
}

/** Finds the releases that are neither shipped nor cancelled. */
@Injectable()
export class ReleaseSearchQueries {
  constructor(private readonly summaries: ReleaseSummariesQueries) {}

  /** Finds the ids. One statement, so that counts and page show the same state. Returns every id if there is no page. */
  async findActive(
    tx: TenantTransaction,
    filter: ReleaseFilter,
    page: PageRequest | null,
    at: { readonly freezes: ActiveFreezes; readonly now: Date },
  ): Promise<Found<string>> {
    const { name, counts, ids, params } = buildActiveStatement(filter, page, at);
    const [row] = await tx.queryPrepared<{ readonly counts: StoredCounts; readonly ids: readonly string[] }>(
      `find_active_ids_${name}`,
      `select to_jsonb(counts) as counts, array(${ids}) as ids from (${counts}) as counts`,
      params,
    );
    if (!row) throw new TypeError('The query for the count returned no row.');
    return { releases: row.ids, counts: toCounts(row.counts) };
  }

  /**
   * Reads a page. If nothing is frozen, which is usual, one statement reads everything. Otherwise it reads only the freezes, on which
   * ids and counts depend.
   */
  async readActivePage(
    tx: TenantTransaction,
    filter: ReleaseFilter,
    page: PageRequest,
    now: Date,
  ): Promise<Found<DatedReleaseSummary>> {
    const { name, counts, ids, params } = buildActiveStatement(filter, page, { freezes: NOT_FROZEN, now });
    // An empty page has one row without a position. `offset 0` makes Postgres read the freezes once.
    const rows = await tx.queryPrepared<FoundSummary>(
      `read_active_releases_${name}`,
      `select case when row_number() over (order by summary.at) = 1 then found.counts end as counts,
         case when row_number() over (order by summary.at) = 1 then found.freezes end as freezes, summary.*
       from (
         select freezes, case when free then (select to_jsonb(counts) from (${counts}) as counts) end as counts,
           case when free then array(${ids}) end as ids
         from (
           select freezes, ${isNothingFrozenSql('freezes')} as free
           from (select ${activeFreezesSql('(select $1::timestamptz)')} as freezes offset 0) as stored) as checked) as found
       left join lateral (${storedSummariesSql('found.ids')}) as summary on true
       order by summary.at`,
      params,
    );
    const [first] = rows;
    if (!first?.freezes) throw new TypeError('The first row has the freezes.');
    const freezes = toActiveFreezes(first.freezes);
    if (first.counts !== null) {
      const releases = rows.filter(({ at }) => at !== null).map((row) => this.summaries.toDated(row, freezes, now));
      return { releases, counts: toCounts(first.counts) };
    }
    const found = await this.findActive(tx, filter, page, { freezes, now });
    return { ...found, releases: await this.summaries.listDated(tx, found.releases, freezes, now) };
  }

  /** Newest version first, by precedence. Returns every id if there is no page. */
  async findNewestFirst(
    tx: TenantTransaction,
    repositoryId: string,
    search: string | null,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const matches = `repository_id = $1${search === null ? '' : ' and strpos(lower_version, $4::text) > 0'}`;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_versions_${search === null ? 'any' : 'searched'}`,
      `select array(
         select id from release where ${matches}
         order by version_order desc, id limit $2::bigint offset $3::bigint) as ids,
         (select count(*) from release where ${matches}) as total`,
      [
        repositoryId,
        page?.pageSize ?? null,
        page ? pageOffset(page) : 0,
        ...(search === null ? [] : [search.toLowerCase()]),
      ],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }
}
