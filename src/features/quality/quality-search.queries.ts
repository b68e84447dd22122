import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';

/** Which release groups are asked for; null is any. A group has to have a result of both type and environment. */
export interface QualityFilter {
  /** The organization's login, in any case. */
  readonly owner: string | null;
  /** The repository's name without its organization, in any case. */
  readonly repo: string | null;
  /** The version, exactly. */
  readonly milestone: string | null;
  readonly type: EvidenceKind | null;
  /** Exactly. */
  readonly environment: string | null;
}

/** Of more than these, a page among the first quarter is found sooner by looking at one release after the other than by gathering all. */
const MANY = 1_000;

/** What is asked for, in SQL; none asks for nothing. */
interface Conditions {
  readonly workspace: readonly string[];
  /** Of the columns of a release. Each leaves few of them. */
  readonly release: readonly string[];
  /** Of those of one result. */
  readonly facet: readonly string[];
}

/** Finds the releases of which there is evidence. */
@Injectable()
export class QualitySearchQueries {
  /**
   * What received evidence last first; every id without a page. Page and total are of one moment. Each filter is a
   * statement of its own, so that it is planned for what it asks.
   */
  async find(
    tx: TenantTransaction,
    filter: QualityFilter,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const params: unknown[] = [page?.pageSize ?? null, page ? pageOffset(page) : 0];
    const conditions = conditionsOf(filter, (value) => `$${params.push(value)}::text`);
    const asked = Object.entries(filter).filter(([, value]) => value !== null);
    const isPage = page !== null;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      ['find_evidenced', isPage ? 'page' : 'all', ...asked.map(([name]) => name)].join('_'),
      conditions.release.length > 0 ? amongFew(conditions) : amongAll(conditions, isPage),
      params,
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }
}

function conditionsOf(
  { owner, repo, milestone, type, environment }: QualityFilter,
  given: (value: string) => string,
): Conditions {
  const asks = (value: string | null, condition: (value: string) => string): readonly string[] =>
    value === null ? [] : [condition(given(value))];
  return {
    workspace: asks(owner?.toLowerCase() ?? null, (login) => `(select lower(login) from organization) = ${login}`),
    release: [
      ...asks(
        repo?.toLowerCase() ?? null,
        (name) => `repository_id in (select id from repository where lower_name = ${name})`,
      ),
      // Each version has an order of its own, which stands in an index.
      ...asks(milestone, (version) => `version_order = version_order(${version})`),
    ],
    facet: [...asks(type, (kind) => `kind = ${kind}`), ...asks(environment, (name) => `environment = ${name}`)],
  };
}

const all = (...conditions: readonly string[]): string => ['true', ...conditions].join(' and ');

/** Asked of one release after the other, from which the offset keeps the planner apart. */
const hasResult = (facet: readonly string[]): string => `exists (
  select from evidence_facet f where f.repository_id = release.repository_id and f.release_id = release.id
    and ${all(...facet)} offset 0)`;

/** In sub-selects, so that a plan for any page is no worse than one for this page: else each page would be planned anew. */
const PAGE = 'order by evidence_at desc, id limit (select $1::bigint) offset (select $2::bigint)';

/** All that match are gathered once, to be counted and ordered. */
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

/** What is counted is known of each repository, or stands in an index of results. */
function amongAll({ workspace, facet }: Conditions, isPage: boolean): string {
  const where = all('evidence_at is not null', ...workspace);
  const idsWhere = (condition: string): string =>
    `array(select id from release where ${all(where, condition)} ${PAGE})`;
  if (facet.length === 0)
    return `select (select coalesce(sum(evidenced), 0) from repository_tally where ${all(...workspace)}) as total,
      ${idsWhere('true')} as ids`;
  const results = `evidence_facet where ${all(...workspace, ...facet)}`;
  const gathered = idsWhere(`id in (select release_id from ${results})`);
  // The planner cannot tell how many of a workspace's releases have such a result; the total does.
  const isEarly = `total > ${MANY} and $2::bigint < total / 4`;
  const ids = isPage ? `case when ${isEarly} then ${idsWhere(hasResult(facet))} else ${gathered} end` : gathered;
  return `select total, ${ids} as ids
    from (select count(*) from (select from ${results} group by release_id) as noted) as counted (total)`;
}

/** A choice among more than these helps nobody; the filters take every value. */
const CHOICES = 1_000;

/** What the filters can be set to so that something is found. */
export interface QualityFilterOptions {
  readonly owners: readonly string[];
  /** Without their organization. */
  readonly repos: readonly string[];
  /** Versions, the newest first. */
  readonly milestones: readonly string[];
  readonly types: readonly EvidenceKind[];
  readonly environments: readonly string[];
}

interface ChoicesRow {
  readonly owner: string;
  readonly repos: readonly string[];
  readonly versions: readonly string[];
  readonly kinds: readonly EvidenceKind[];
  readonly environments: readonly string[];
}

/**
 * From one value to the next one, so that as much is read as there are values and not as there are releases. Names of
 * environments may be made for each pull request, so their number is bounded. Each walk begins before the first value, and so
 * reads its table in one place: what the viewer may read is worked out anew for every place. No order of a version begins with a 2,
 * and no other value is empty.
 */
const READ = `
  with recursive version (version_order, version, at) as (
    select '2' collate "C", '', 0
    union all
    select next.version_order, next.version, version.at + 1 from version cross join lateral (
      select r.version_order, r.version from release r
      where r.evidence_at is not null and r.version_order < version.version_order
      order by r.version_order desc limit 1) next
    where version.at < ${CHOICES}
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
    where environment.at < ${CHOICES}
  )
  select (select login from organization) as owner,
    array(select r.name from repository r
      join (select repository_id from repository_tally group by repository_id having sum(evidenced) > 0) evidenced
        on evidenced.repository_id = r.id
      order by r.lower_name, r.id limit ${CHOICES}) as repos,
    array(select version from version where at > 0 order by at) as versions,
    array(select kind from kind where kind <> '' order by kind) as kinds,
    array(select environment from environment where at > 0 order by at) as environments`;

/** What there is to choose from in all that whoever opened the transaction may see. */
@Injectable()
export class QualityChoicesReader {
  async read(tx: TenantTransaction): Promise<QualityFilterOptions> {
    const [row] = await tx.queryPrepared<ChoicesRow>('read_quality_choices', READ, []);
    if (!row || row.repos.length === 0) return { owners: [], repos: [], milestones: [], types: [], environments: [] };
    return {
      owners: [row.owner],
      // One that was made anew under the same name is another repository, and the same choice.
      repos: [...new Set(row.repos)],
      milestones: row.versions,
      types: row.kinds,
      environments: row.environments,
    };
  }
}
