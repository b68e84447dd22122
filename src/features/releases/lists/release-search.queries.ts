import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Outcome } from '../../../domain/release/outcome.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import type { OutcomeCountsDto } from './release-list.dto.js';
import type { ActiveFreezes } from './release-summaries.queries.js';

/** A filter of active releases. */
export interface ReleaseFilter {
  /** A part of a repository name, of a version, or of both with a space between, ignoring case; null means all. */
  readonly search: string | null;
  /** Null means all. */
  readonly outcome: Outcome | null;
}

/** Ids of active releases, last changed first. */
export interface FoundReleases {
  readonly ids: readonly string[];
  /** Counts for the search, regardless of the outcome and the page. */
  readonly counts: OutcomeCountsDto;
}

/** The ids and the counts, which are integers as texts. */
type FoundPage = Pick<FoundReleases, 'ids'> & Readonly<Record<Exclude<keyof OutcomeCountsDto, 'in_progress'>, string>>;

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

/** Finds the releases that are neither shipped nor cancelled. */
@Injectable()
export class ReleaseSearchQueries {
  /** One statement, so that counts and page show the same state. Returns every id if there is no page. */
  async findActive(
    tx: TenantTransaction,
    { search, outcome }: ReleaseFilter,
    page: PageRequest | null,
    { freezes, now }: { readonly freezes: ActiveFreezes; readonly now: Date },
  ): Promise<FoundReleases> {
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
    const [row] = await tx.queryPrepared<FoundPage>(
      `find_active_releases_${search === null ? 'any' : 'searched'}_${outcome ?? 'all'}_${frozen}`,
      `select counts.*, array(
         select id from release where ${matches} ${outcome === null ? '' : `and ${is[outcome]}`}
         order by updated_at desc, id limit (select $2::bigint) offset (select $3::bigint)) as ids
       from (${search === null ? storedCounts(isFrozen) : counted(matches, is)}) as counts`,
      params,
    );
    if (!row) throw new TypeError('A count has a row.');
    const [all, blocked, needsApproval, ready] = [row.all, row.blocked, row.needs_approval, row.ready_to_deploy].map(
      Number,
    ) as [number, number, number, number];
    return {
      ids: row.ids,
      counts: {
        all,
        blocked,
        needs_approval: needsApproval,
        ready_to_deploy: ready,
        // All releases with no other outcome.
        in_progress: all - blocked - needsApproval - ready,
      },
    };
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
