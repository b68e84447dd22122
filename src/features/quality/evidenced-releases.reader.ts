import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { offsetOf, type PageRequest } from '../../http/pagination/page-request.js';
import type { QualityFilter } from './quality-filter.js';

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
    const given = (value: string): string => `$${params.push(value)}::text`;
    const { owner, repo, milestone, type, environment } = filter;
    const conditions = {
      owner: owner !== null && `(select lower(login) from organization) = ${given(owner.toLowerCase())}`,
      repo:
        repo !== null && `repository_id in (select id from repository where lower_name = ${given(repo.toLowerCase())})`,
      milestone: milestone !== null && `version = ${given(milestone)}`,
      facet: (type !== null || environment !== null) && `id in (${facetsOf(type, environment, given)})`,
    };
    const asked = Object.entries(conditions).filter(([, condition]) => condition !== false);
    const matches = ['evidence_at is not null', ...asked.map(([, condition]) => condition)].join(' and ');
    const ofRepositories = [conditions.owner, conditions.repo].filter((condition) => condition !== false);
    const facets = `${type === null ? '' : '_type'}${environment === null ? '' : '_environment'}`;
    const [row] = await tx.prepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_evidenced_${asked.map(([name]) => name).join('_')}${facets}`,
      `select array(
         select id from release where ${matches}
         order by evidence_at desc, id limit $1::bigint offset $2::bigint) as ids,
         (${asked.length === ofRepositories.length ? talliedIn(ofRepositories) : `select count(*) from release where ${matches}`}) as total`,
      params,
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }
}

/** How many there are in whole repositories. */
const talliedIn = (conditions: readonly string[]): string =>
  `select coalesce(sum(evidenced), 0) from repository_tally where ${['true', ...conditions].join(' and ')}`;

/** The releases that have a result of both; null is any. */
function facetsOf(type: string | null, environment: string | null, given: (value: string) => string): string {
  const conditions = [
    ...(type === null ? [] : [`kind = ${given(type)}`]),
    ...(environment === null ? [] : [`environment = ${given(environment)}`]),
  ];
  return `select release_id from evidence_facet where ${conditions.join(' and ')}`;
}
