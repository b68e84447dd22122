import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Outcome } from '../../../domain/release/outcome.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import type { ActiveFreezes } from './release-summaries.queries.js';

/** How many active releases there are, in all and of each outcome. */
export type OutcomeCounts = Readonly<Record<'all' | Outcome, number>>;

/** Which active releases are asked for. */
export interface ReleaseFilter {
  /** A part of a repository's name or of a version, whatever its case; null is any. */
  readonly search: string | null;
  /** Null is any. */
  readonly outcome: Outcome | null;
}

/** Ids of active releases, those that changed last first. */
export interface FoundReleases {
  readonly ids: readonly string[];
  /** Of all that match the search, whatever the outcome and the page. */
  readonly counts: OutcomeCounts;
}

interface FoundRow {
  readonly all: string;
  readonly blocked: string;
  readonly needs_approval: string;
  readonly ready_to_deploy: string;
  readonly ids: readonly string[];
}

// Time and page are asked for by sub-selects, so that a statement is planned once and not for each of their values.
const OPEN = `ready_until > (select $1::timestamptz)`;

/** `outcomeOf` in SQL, a condition for each. What is frozen nowhere costs nothing: forty thousand rows are asked. */
function conditionsOf(frozen: string | null): Readonly<Record<Outcome, string>> {
  const blocked = frozen === null ? `standing = 'b'` : `(standing = 'b' or ${frozen} and (${OPEN}) is not true)`;
  return {
    blocked,
    needs_approval: `not ${blocked} and standing = 'a'`,
    ready_to_deploy: `not ${blocked} and standing = 'p' and ${OPEN}`,
    in_progress: `not ${blocked} and standing = 'p' and (${OPEN}) is not true`,
  };
}

/** What of the workspace is frozen; each is another statement. */
function frozenPart({ ofWorkspace, byRepository }: ActiveFreezes): 'everything' | 'some' | 'nothing' {
  if (ofWorkspace.length > 0) return 'everything';
  return byRepository.size > 0 ? 'some' : 'nothing';
}

const ACTIVE = 'shipped_at is null and cancelled_at is null and deleted_at is null';

/**
 * All that the conditions ask of a release stands in the index of the active ones, so that its row is not read. The search is
 * no condition of an index: row-level security lets only leakproof ones be, and none that finds a part of a text is. So
 * repositories, of which there are few, are searched first.
 */
const searchedFor = (text: string): string => `(strpos(lower_version, ${text}) > 0 or repository_id in (
  select id from repository
  where strpos(case when strpos(${text}, '/') > 0 then (select lower(login) from organization) || '/' || lower_name
    else lower_name end, ${text}) > 0))`;

/** One by one, for what no tally tells. */
const counted = (matches: string, is: Readonly<Record<Outcome, string>>): string => `
  select count(*) as all, count(*) filter (where ${is.blocked}) as blocked,
    count(*) filter (where ${is.needs_approval}) as needs_approval,
    count(*) filter (where ${is.ready_to_deploy}) as ready_to_deploy
  from release where ${matches}`;

/**
 * The same of all, from the tallies of the repositories: only those whose gate may be open are counted one by one, since time
 * decides it. They are few, because facts live for minutes.
 */
function tallied(frozen: string | null): string {
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
      from repository_tally) as tally, (
      select count(*) filter (where standing = 'p') as passing,
        count(*) filter (where standing = 'a' and ${where}) as frozen_awaiting,
        count(*) filter (where standing = 'p' and ${where}) as frozen_passing
      from release where ${ACTIVE} and standing <> 'b' and ${OPEN}) as opened`;
}

/** Finds the releases that are neither shipped nor cancelled. */
@Injectable()
export class ReleaseSearchQueries {
  /** One statement, so that the counts are those of the moment at which the page was taken; every id without a page. */
  async find(
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
    const is = conditionsOf(isFrozen);
    const matches = search === null ? ACTIVE : `${ACTIVE} and ${searchedFor(given(search.toLowerCase(), 'text'))}`;
    const [row] = await tx.queryPrepared<FoundRow>(
      `find_active_${search === null ? 'any' : 'searched'}_${outcome ?? 'all'}_${frozen}`,
      `select counts.*, array(
         select id from release where ${matches} ${outcome === null ? '' : `and ${is[outcome]}`}
         order by updated_at desc, id limit (select $2::bigint) offset (select $3::bigint)) as ids
       from (${search === null ? tallied(isFrozen) : counted(matches, is)}) as counts`,
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
        // Whatever is none of the others.
        in_progress: all - blocked - needsApproval - ready,
      },
    };
  }
}

/** Finds the releases of a repository by their versions. */
@Injectable()
export class ReleaseVersions {
  /** The newest version first, by precedence; every id without a page. */
  async find(
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
