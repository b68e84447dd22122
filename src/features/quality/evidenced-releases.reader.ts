import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { offsetOf, type PageRequest } from '../../http/pagination/page-request.js';
import type { QualityFilter } from './quality-filter.js';

/** From how many on a page is found sooner by looking at one release after the other than by gathering all that match. */
const MANY = 1_000;

/** What is asked for, in SQL; none asks for nothing. */
interface Conditions {
  /** Of the columns of a repository's rows. */
  readonly repository: readonly string[];
  /** Of those of a release besides. */
  readonly release: readonly string[];
  /** Of those of one result. */
  readonly facet: readonly string[];
}

/** Finds the releases of which there is evidence. */
@Injectable()
export class EvidencedReleases {
  /**
   * What received evidence last first; every id without a page. Page and total are of one moment. Each filter is a
   * statement of its own, so that it is planned for what it asks.
   */
  async find(
    tx: TenantTx,
    filter: QualityFilter,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const params: unknown[] = [page?.pageSize ?? null, page ? offsetOf(page) : 0];
    const conditions = conditionsOf(filter, (value) => `$${params.push(value)}::text`);
    const asked = Object.entries(filter).filter(([, value]) => value !== null);
    const [row] = await tx.prepared<{ readonly ids: readonly string[]; readonly total: string }>(
      ['find_evidenced', page ? 'page' : 'all', ...asked.map(([name]) => name)].join('_'),
      `select total, ${page ? pageOf(conditions) : gathered(conditions)} as ids from (${totalOf(conditions)}) as counted (total)`,
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
    repository: [
      ...asks(owner?.toLowerCase() ?? null, (login) => `(select lower(login) from organization) = ${login}`),
      ...asks(
        repo?.toLowerCase() ?? null,
        (name) => `repository_id in (select id from repository where lower_name = ${name})`,
      ),
    ],
    // Each version has an order of its own, which stands in an index.
    release: asks(milestone, (version) => `version_order = version_order(${version})`),
    facet: [...asks(type, (kind) => `kind = ${kind}`), ...asks(environment, (name) => `environment = ${name}`)],
  };
}

const all = (...conditions: readonly string[]): string => ['true', ...conditions].join(' and ');

function totalOf(conditions: Conditions): string {
  const { repository, release, facet } = conditions;
  if (facet.length === 0 && release.length === 0)
    return `select coalesce(sum(evidenced), 0) from repository_tally where ${all(...repository)}`;
  if (repository.length === 0 && release.length === 0)
    return `select count(*) from (select from evidence_facet where ${all(...facet)} group by release_id) as noted`;
  return `select count(*) from release where ${matching(conditions)}`;
}

const matching = ({ repository, release, facet }: Conditions): string =>
  all(
    'evidence_at is not null',
    ...repository,
    ...release,
    ...(facet.length > 0 ? [`id in (select release_id from evidence_facet where ${all(...facet)})`] : []),
  );

const idsWhere = (condition: string): string => `array(
  select id from release where ${condition} order by evidence_at desc, id limit $1::bigint offset $2::bigint)`;

const gathered = (conditions: Conditions): string => idsWhere(matching(conditions));

/** The planner cannot tell how many of a workspace's releases have such a result; the total does. */
function pageOf(conditions: Conditions): string {
  const { facet } = conditions;
  if (facet.length === 0) return gathered(conditions);
  // Kept apart by the offset, so that it is asked of one release after the other until the page is full.
  const hasResult = `exists (
    select from evidence_facet f where f.repository_id = release.repository_id and f.release_id = release.id
      and ${all(...facet)} offset 0)`;
  const oneByOne = idsWhere(all(matching({ ...conditions, facet: [] }), hasResult));
  return `case when total > ${MANY} then ${oneByOne} else ${gathered(conditions)} end`;
}
