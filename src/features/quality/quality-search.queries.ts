import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { QualityFilter, QualityFilterOptionsDto } from './quality.dto.js';

/**
 * Above this number of matches, a page in the first quarter is found faster by checking one release after the other than by
 * gathering all matches.
 */
const MANY = 1_000;
/** From this offset on, a page is found faster by gathering the ids of all matches than by checking one release after the other. */
const DEEP = 1_000;

/** The conditions of the filter in SQL. Empty arrays match everything. */
interface Conditions {
  readonly workspace: readonly string[];
  /** Conditions on the columns of a release. Each matches only a few releases. */
  readonly release: readonly string[];
  /** Conditions on one result. */
  readonly facet: readonly string[];
}

/** Finds the releases that have evidence, and the values to filter them by. */
@Injectable()
export class QualitySearchQueries {
  /**
   * Finds the matching releases, most recently received evidence first, and returns every id if there is no page. Page and total
   * come from one statement. Each combination of filters has its own statement and plan.
   */
  async find(
    tx: TenantTransaction,
    filter: QualityFilter,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const params: unknown[] = [page?.pageSize ?? null, page ? pageOffset(page) : 0];
    const conditions = buildConditions(filter, (value) => `$${params.push(value)}::text`);
    const active = Object.entries(filter).filter(([, value]) => value !== null);
    const part = page === null ? 'all' : pageOffset(page) < DEEP ? 'early' : 'deep';
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      ['find_releases_with_evidence', part, ...active.map(([name]) => name)].join('_'),
      conditions.release.length > 0 ? amongFew(conditions) : amongAll(conditions, part),
      params,
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Lists the values of the filters with at least one match. */
  async listFilterOptions(tx: TenantTransaction): Promise<QualityFilterOptionsDto> {
    const [row] = await tx.queryPrepared<QualityFilterOptionsDto & { readonly owner: string }>(
      'list_quality_filter_options',
      FILTER_OPTIONS,
      [],
    );
    if (!row || row.repos.length === 0) return { owners: [], repos: [], milestones: [], types: [], environments: [] };
    return {
      owners: [row.owner],
      // A repository that was created again under the same name has another id, but the name is listed once.
      repos: [...new Set(row.repos)],
      milestones: row.milestones,
      types: row.types,
      environments: row.environments,
    };
  }
}

function buildConditions(
  { owner, repo, milestone, type, environment }: QualityFilter,
  given: (value: string) => string,
): Conditions {
  const whenGiven = (value: string | null, condition: (value: string) => string): readonly string[] =>
    value === null ? [] : [condition(given(value))];
  return {
    workspace: whenGiven(owner?.toLowerCase() ?? null, (login) => `(select lower(login) from organization) = ${login}`),
    release: [
      ...whenGiven(
        repo?.toLowerCase() ?? null,
        (name) => `repository_id in (select id from repository where lower_name = ${name})`,
      ),
      // Each version has its own order value, and the order is indexed.
      ...whenGiven(milestone, (version) => `version_order = version_sort_key(${version})`),
    ],
    facet: [
      ...whenGiven(type, (kind) => `kind = ${kind}`),
      ...whenGiven(environment, (name) => `environment = ${name}`),
    ],
  };
}

const all = (...conditions: readonly string[]): string => ['true', ...conditions].join(' and ');

/** Checked for one release after the other. `offset` prevents a join. */
const hasResult = (facet: readonly string[]): string => `exists (
  select from evidence_facet f where f.repository_id = release.repository_id and f.release_id = release.id
    and ${all(...facet)} offset 0)`;

/** Sub-selects supply the page, so that one plan serves all pages. */
const PAGE = 'order by evidence_at desc, id limit (select $1::bigint) offset (select $2::bigint)';

/** Gathers all matches once, to count and sort them. */
function amongFew({ workspace, release, facet }: Conditions): string {
  const matches = all(
    'evidence_at is not null',
    ...workspace,
    ...release,
    ...(facet.length > 0 ? [hasResult(facet)] : []),
  );
  return `with found as materialized (select id, evidence_at from release where ${matches})
    select (select count(*) from found) as total, array(select id from found ${PAGE}) as ids`;
}

/** Walks the index of the releases with evidence to the page, from the nearer end. The exact number of matches is in scope as `total`. */
const walkToPage = (where: string): string => `case when $2::bigint <= total / 2
  then array(select id from release where ${where} ${PAGE})
  else array(
    select id from (
      select id, evidence_at from release where ${where} order by evidence_at, id desc
      limit (select greatest(least($1::bigint, total - $2::bigint), 0))
      offset (select greatest(total - $2::bigint - $1::bigint, 0))) as backwards
    order by evidence_at desc, id) end`;

/** Counts by the count table of the repositories or by an index of results. */
function amongAll({ workspace, facet }: Conditions, part: 'all' | 'early' | 'deep'): string {
  const where = all('evidence_at is not null', ...workspace);
  if (facet.length === 0)
    return `select total, ${walkToPage(where)} as ids from (
      select coalesce(sum(evidenced), 0) as total from repository_count_change where ${all(...workspace)}) as counted`;
  const results = `evidence_facet where ${all(...workspace, ...facet)}`;
  if (part === 'deep')
    // A binary search in the sorted ids costs a tenth of a search in the index of results, and the ids also give the total.
    return `select total, ${walkToPage(all(where, 'found[width_bucket(id, found)] = id'))} as ids
      from (
        select found, cardinality(found)::bigint as total from (
          select coalesce(array_agg(distinct release_id order by release_id), '{}') as found from ${results}) as gathered
      ) as counted`;
  const idsWhere = (condition: string): string =>
    `array(select id from release where ${all(where, condition)} ${PAGE})`;
  const gathered = idsWhere(`id in (select release_id from ${results})`);
  // The planner does not know how many releases of the workspace have such a result; the total shows it.
  const isEarly = `total > ${MANY} and $2::bigint < total / 4`;
  const ids =
    part === 'all' ? gathered : `case when ${isEarly} then ${idsWhere(hasResult(facet))} else ${gathered} end`;
  return `select total, ${ids} as ids
    from (select count(*) from (select from ${results} group by release_id) as noted) as counted (total)`;
}

/** The maximum number of listed values per filter. The filters accept every value. */
const MAX_OPTIONS = 1_000;

/**
 * Walks from one distinct value to the next, so that the cost depends on the number of values and not of releases. Environments
 * may be named per pull request, so their number is limited. Each walk begins before the first value and reads its table in one
 * place of the statement, because row-level security is evaluated again for each place. No version order begins with a 2, and no
 * other value is empty.
 */
const FILTER_OPTIONS = `
  with recursive version (version_order, version, at) as (
    select '2' collate "C", '', 0
    union all
    select next.version_order, next.version, version.at + 1 from version cross join lateral (
      select r.version_order, r.version from release r
      where r.evidence_at is not null and r.version_order < version.version_order
      order by r.version_order desc limit 1) next
    where version.at < ${MAX_OPTIONS}
  ), kind (kind) as (
    select '' collate "C"
    union all
    select next.kind from kind cross join lateral (
      select f.kind from evidence_facet f where f.kind > kind.kind order by f.kind limit 1) next
  ), environment (environment, at) as (
    select '' collate "C", 0
    union all
    select next.environment, environment.at + 1 from environment cross join lateral (
      select f.environment from evidence_facet f where f.environment > environment.environment
      order by f.environment limit 1) next
    where environment.at < ${MAX_OPTIONS}
  )
  select (select login from organization) as owner,
    array(select r.name from repository r
      join (select repository_id from repository_count_change group by repository_id having sum(evidenced) > 0) evidenced
        on evidenced.repository_id = r.id
      order by r.lower_name, r.id limit ${MAX_OPTIONS}) as repos,
    array(select version from version where at > 0 order by at) as milestones,
    array(select kind from kind where kind <> '' order by kind) as types,
    array(select environment from environment where at > 0 order by at) as environments`;
