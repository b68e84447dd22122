import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { downloadHref } from '../../api/download-href.js';
import { notApprovedQuery } from '../../release-ui/running-artifacts.query.js';
import { Downloads } from '../../ui/downloads.js';
import { FilterInput, Filters, FilterSelect } from '../../ui/filters.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState, Placeholder } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/history.js';
import { DeploymentRow } from './deployment-row.js';
import { LeadTimes } from './lead-times.js';
import { NotApproved } from './not-approved.js';
import { historyQuery } from './history.query.js';
import { KINDS, toHistoryParameters, type HistoryFilters } from './history.search.js';

const ROUTE = '/session/w/$org/history';
const KIND_OPTIONS = KINDS.map((kind) => [kind, text.kinds[kind]] as const);

/** All deployments to the targets of the repositories, also those that bypassed the gate. */
export function HistoryScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(historyQuery(search));
  const notApproved = useQuery(notApprovedQuery(search.runningPage));
  const { pagination, repositories = [], environments = [] } = query.data ?? {};
  const target = { to: '/w/$org/history', params: { org } } as const;
  const filter = (change: HistoryFilters, replace = false): void =>
    void navigate({ ...target, search: { ...search, ...change, page: undefined, open: undefined }, replace });
  const parameters = toHistoryParameters(search);
  const isFiltered = Object.keys(parameters).length > 0;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title} />
      <Tools>
        <SearchField label={text.search} value={search.q ?? ''} onSearch={(q) => filter({ q: q || undefined }, true)} />
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <Filters label={text.filters} note={text.utc}>
        <FilterSelect
          label={text.repository}
          all={text.allRepositories}
          value={search.repository}
          options={repositories.map((name) => [name, name])}
          onChange={(repository) => filter({ repository })}
        />
        <FilterSelect
          label={text.kind}
          all={text.allKinds}
          value={search.kind}
          options={KIND_OPTIONS}
          onChange={(kind) => filter({ kind })}
        />
        <FilterSelect
          label={text.environment}
          all={text.allEnvironments}
          value={search.environment}
          options={environments.map((name) => [name, name])}
          onChange={(environment) => filter({ environment })}
        />
        <FilterInput label={text.from} type="date" value={search.from} onChange={(from) => filter({ from }, true)} />
        <FilterInput label={text.to} type="date" value={search.to} onChange={(to) => filter({ to }, true)} />
      </Filters>
      <NotApproved org={org} query={notApproved} />
      <QueryRegion query={query} failed={text.failed}>
        {({ history, pagination: pages }, isStale) =>
          // Both appear together, so that neither moves the other under the pointer.
          notApproved.isPending ? (
            <Placeholder />
          ) : history.length > 0 ? (
            <>
              <LeadTimes records={history} />
              <LiveTable
                caption={text.caption}
                columns={Object.values(text.columns)}
                rows={history}
                toId={({ id }) => id}
                filters={{ ...search, open: undefined, runningPage: undefined }}
                isStale={isStale}
                changed={text.changed}
              >
                {(record, isGone) => (
                  <DeploymentRow
                    key={record.id}
                    record={record}
                    isGone={isGone}
                    isOpen={record.id === search.open}
                    onToggle={(isOpen) =>
                      void navigate({
                        ...target,
                        search: { ...search, open: isOpen ? record.id : undefined },
                        replace: true,
                      })
                    }
                  />
                )}
              </LiveTable>
              <Pager pagination={pages} />
              {pages && !isStale && (
                <Downloads
                  label={text.exported(pages.total)}
                  files={(['csv', 'xlsx'] as const).map((format) => ({
                    format: text.formats[format],
                    href: downloadHref('/api/history/export', org, { ...parameters, format }),
                  }))}
                />
              )}
            </>
          ) : isFiltered ? (
            <EmptyState title={text.noMatch}>
              <ButtonLink {...target} search={{}}>
                {common.clearFilters}
              </ButtonLink>
            </EmptyState>
          ) : (
            <EmptyState title={text.none}>
              <p>{text.noneHint}</p>
            </EmptyState>
          )
        }
      </QueryRegion>
    </>
  );
}
