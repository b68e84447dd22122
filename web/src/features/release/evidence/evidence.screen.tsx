import { Heading, Select } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { ButtonLink } from '../../../ui/links.js';
import { Pager } from '../../../ui/pager.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { Tools } from '../../../ui/screen.js';
import { EmptyState } from '../../../ui/states.js';
import { common } from '../../../texts/en/common.js';
import { text } from '../../../texts/en/evidence.js';
import { useRelease } from '../release.query.js';
import { EvidenceTable } from './evidence-table.js';
import classes from './evidence.module.css';
import { otherEvidenceQuery, usedEvidenceQuery } from './evidence.query.js';
import { EVIDENCE_TYPES, type EvidenceSearch } from './evidence.search.js';

const ROUTE = '/session/w/$org/releases/$id/evidence';

type Item = Schema<'EvidenceItem'>;

/** The evidence of a release: first the items that the verdict uses now, then the others. */
export function EvidenceScreen() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const { release } = useRelease();
  const used = useQuery(usedEvidenceQuery(id, search));
  const others = useQuery({ ...otherEvidenceQuery(id, search), enabled: search.only === undefined });
  const isFirst = search.only !== undefined || search.page === undefined;
  const usedTotal = used.data?.pagination?.total;
  const hasFailed = used.error !== null || others.error !== null;
  const isEmpty = usedTotal === 0 && others.data?.pagination?.total === 0 && !hasFailed;
  if (isEmpty) return <Nothing search={search} />;
  return (
    <>
      <Filters search={search} />
      {isFirst && (
        <section className={classes['part']}>
          <Heading as="h2" variant="medium">
            {text.used}
          </Heading>
          <QueryRegion query={used} failed={text.failed} rows={3}>
            {({ evidence, pagination }, isStale) => (
              <>
                {evidence.length > 0 ? (
                  <EvidenceTable caption={text.captionUsed} items={sortItems(evidence)} isStale={isStale} />
                ) : (
                  <p className="quiet">{release.deployedAt === null ? text.usedNone : text.usedShipped}</p>
                )}
                {search.only ? <Pager pagination={pagination} /> : <MoreUsed search={search} pagination={pagination} />}
              </>
            )}
          </QueryRegion>
        </section>
      )}
      {search.only === undefined && (
        <section className={classes['part']}>
          <Heading as="h2" variant="medium">
            {release.deployedAt === null ? text.others : text.othersShipped}
          </Heading>
          <p className="quiet">{release.deployedAt === null ? text.othersLead : text.othersShippedLead}</p>
          <QueryRegion query={others} failed={text.failed} rows={3}>
            {({ evidence, pagination }, isStale) => (
              <>
                {evidence.length > 0 ? (
                  <EvidenceTable caption={text.captionOthers} items={evidence} isStale={isStale} />
                ) : (
                  <p className="quiet">{common.none}</p>
                )}
                <Pager pagination={pagination} />
              </>
            )}
          </QueryRegion>
        </section>
      )}
    </>
  );
}

/** Orders items by type, and then by environment. */
const sortItems = (items: readonly Item[]): readonly Item[] =>
  items.toSorted(
    (one, other) =>
      EVIDENCE_TYPES.indexOf(one.type) - EVIDENCE_TYPES.indexOf(other.type) ||
      one.environment.localeCompare(other.environment),
  );

/** A link to all used evidence, if there is more than the first screen shows. */
function MoreUsed({
  search,
  pagination,
}: {
  readonly search: EvidenceSearch;
  readonly pagination: Schema<'PageInfo'> | undefined;
}) {
  const params = useParams({ from: ROUTE });
  if (pagination === undefined || pagination.pages <= 1) return null;
  return (
    <Link
      to="/w/$org/releases/$id/evidence"
      params={params}
      search={{ ...search, page: undefined, only: 'used' }}
      resetScroll={false}
    >
      {text.usedMore(pagination.total)}
    </Link>
  );
}

function Filters({ search }: { readonly search: EvidenceSearch }) {
  const params = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const { evidence } = useRelease();
  const environments = new Set(evidence.map(({ environment }) => environment));
  if (search.environment !== undefined) environments.add(search.environment);
  const filter = (part: EvidenceSearch): void => {
    void navigate({
      to: '/w/$org/releases/$id/evidence',
      params,
      search: { ...search, page: undefined, ...part },
      resetScroll: false,
    });
  };
  return (
    <Tools>
      <label className={classes['filter']}>
        {text.filters.type}
        <Select
          value={search.type ?? ''}
          onChange={({ target }) => filter({ type: EVIDENCE_TYPES.find((type) => type === target.value) })}
        >
          <Select.Option value="">{text.filters.all}</Select.Option>
          {EVIDENCE_TYPES.map((type) => (
            <Select.Option key={type} value={type}>
              {text.types[type] ?? type}
            </Select.Option>
          ))}
        </Select>
      </label>
      <label className={classes['filter']}>
        {text.filters.environment}
        <Select
          value={search.environment ?? ''}
          onChange={({ target }) => filter({ environment: target.value || undefined })}
        >
          <Select.Option value="">{text.filters.all}</Select.Option>
          {[...environments].sort().map((environment) => (
            <Select.Option key={environment} value={environment}>
              {environment}
            </Select.Option>
          ))}
        </Select>
      </label>
    </Tools>
  );
}

function Nothing({ search }: { readonly search: EvidenceSearch }) {
  const params = useParams({ from: ROUTE });
  if (search.type === undefined && search.environment === undefined) {
    return (
      <EmptyState title={text.none}>
        <p>{text.noneHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Filters search={search} />
      <EmptyState title={text.noMatch}>
        <ButtonLink to="/w/$org/releases/$id/evidence" params={params} search={{}} resetScroll={false}>
          {common.clearFilters}
        </ButtonLink>
      </EmptyState>
    </>
  );
}
