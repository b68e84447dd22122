import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Outcome } from '../../../domain/release/outcome.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import type { OutcomeCountsDto } from './release-list.dto.js';
import {
  type ActiveFreezes,
  type DatedReleaseSummary,
  ReleaseSummariesQueries,
  type StoredFreezes,
  storedFreezesSql,
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
}

/** Ids of active releases, last changed first. The counts are for the search, regardless of the outcome. */
export interface FoundReleases {
  readonly ids: readonly string[];
  readonly counts: OutcomeCountsDto;
}

/** A page of active releases, last changed first. The counts are for the search, regardless of the outcome and the page. */
export interface ActivePage {
  readonly releases: readonly DatedReleaseSummary[];
  readonly counts: OutcomeCountsDto;
}

/** The counts that are read. All other releases are in progress. */
type StoredCounts = Omit<OutcomeCountsDto, 'in_progress'>;

/** A row of an answer. The head is for the whole answer, and null in all rows except the first. */
interface Headed {
  readonly head: { readonly counts: StoredCounts; readonly freezes: StoredFreezes } | null;
}

const NOTHING_FROZEN: ActiveFreezes = { ofWorkspace: [], byRepository: new Map() };

// Sub-selects supply time and page, so that the statement is planned once and not for each value.
const OPEN = `ready_until > (select $1::timestamptz)`;

/**
 * `outcomeOf` in SQL, one condition per outcome. Without a freeze the freeze condition is left out, because up to forty thousand
 * rows are checked.
 */
function toConditions(frozen: string | null): Readonly<Record<Outcome, string>> {
  const blocked = frozen === null ? `standing = 'b'` : `(standing = 'b' or ${frozen} and (${OPEN}) is not true)`;
  return {
    blocked,
    needs_approval: `not ${blocked} and standing = 'a'`,
    ready_to_deploy: `not ${blocked} and standing = 'p' and ${OPEN}`,
    in_progress: `not ${blocked} and standing = 'p' and (${OPEN}) is not true`,
  };
}

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
      select count(*) filter (where standing = 'p') as passing,
        count(*) filter (where standing = 'a' and ${where}) as frozen_awaiting,
        count(*) filter (where standing = 'p' and ${where}) as frozen_passing
      from release where ${ACTIVE} and standing <> 'b' and ${OPEN}) as opened`;
}

/** A prepared statement about active releases. */
interface ActiveStatement {
  readonly name: string;
  /** Selects one row: the head, and the ids. */
  readonly sql: string;
  readonly params: readonly unknown[];
}

function activeStatement(
  { search, outcome }: ReleaseFilter,
  page: PageRequest | null,
  now: Date,
  freezes: ActiveFreezes,
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
    name: `${search === null ? 'any' : 'searched'}_${outcome ?? 'all'}_${frozen}`,
    sql: `select jsonb_build_object('counts', to_jsonb(counts), 'freezes', ${storedFreezesSql('(select $1::timestamptz)')}) as head,
         array(
           select id from release where ${matches} ${outcome === null ? '' : `and ${is[outcome]}`}
           order by updated_at desc, id limit (select $2::bigint) offset (select $3::bigint)) as ids
       from (${search === null ? storedCounts(isFrozen) : counted(matches, is)}) as counts`,
    params,
  };
}

function getHead([first]: readonly Headed[]): NonNullable<Headed['head']> {
  if (!first?.head) throw new TypeError('A count has a row.');
  return first.head;
}

function toCounts({ all, blocked, needs_approval, ready_to_deploy }: StoredCounts): OutcomeCountsDto {
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

  /** Finds the ids of all matching releases. */
  async findActive(tx: TenantTransaction, filter: ReleaseFilter, now: Date): Promise<FoundReleases> {
    const { rows, counts } = await this.readWithFreezes(now, (freezes) => {
      const { name, sql, params } = activeStatement(filter, null, now, freezes);
      return tx.queryPrepared<Headed & { readonly ids: readonly string[] }>(`find_active_${name}`, sql, params);
    });
    return { ids: rows[0]?.ids ?? [], counts };
  }

  /** Reads a page of the matching releases, in one round trip if nothing is frozen. */
  async readActivePage(
    tx: TenantTransaction,
    filter: ReleaseFilter,
    page: PageRequest,
    now: Date,
  ): Promise<ActivePage> {
    const { rows, counts, freezes } = await this.readWithFreezes(now, (active) => {
      const { name, sql, params } = activeStatement(filter, page, now, active);
      // Only the first row has the head. It is the only row of an empty page, and has no position then.
      return tx.queryPrepared<Headed & StoredSummary & { readonly at: string | null }>(
        `read_active_${name}`,
        `select case when coalesce(summary.at, 1) = 1 then found.head end as head, summary.*
         from (${sql}) as found left join lateral (${storedSummariesSql('found.ids')}) as summary on true
         order by summary.at`,
        params,
      );
    });
    const releases = rows.filter(({ at }) => at !== null);
    return { releases: releases.map((row) => this.summaries.toDated(row, freezes, now)), counts };
  }

  /**
   * Reads as if nothing were frozen, which is usual, and again with the freezes if there are any. Each answer has the freezes in its
   * head, so they take no round trip of their own.
   */
  private async readWithFreezes<Row extends Headed>(
    now: Date,
    read: (freezes: ActiveFreezes) => Promise<readonly Row[]>,
  ): Promise<{ readonly rows: readonly Row[]; readonly counts: OutcomeCountsDto; readonly freezes: ActiveFreezes }> {
    let rows = await read(NOTHING_FROZEN);
    const freezes = toActiveFreezes(getHead(rows).freezes, now);
    if (frozenPart(freezes) !== 'nothing') rows = await read(freezes);
    return { rows, counts: toCounts(getHead(rows).counts), freezes };
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
