import { Label, LinkButton, Select } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { billingQuery } from '../../api/billing.query.js';
import type { Schema } from '../../api/client.js';
import { configQuery } from '../../api/session.query.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryError, QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState, Placeholder } from '../../ui/states.js';
import { Row } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { text } from '../../texts/en/repositories.js';
import { repositoryListQuery, warningsQuery } from './repositories.query.js';
import { parseRepositoryListSearch, SETUP_STATES, type RepositoryListSearch } from './repositories.search.js';
import { IntegrityLabel, ProtectionLabel, SetupLabel, WorkflowLabel } from './repository-labels.js';
import { WarningList } from './warning-list.js';

const ROUTE = '/session/w/$org/repositories';
const MAX_WARNINGS = 4;

/** The repositories of the workspace: how far each is set up, and what needs attention. */
export function RepositoryListScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(repositoryListQuery(search));
  const warningsOfAll = useQuery(warningsQuery);
  // Both appear together, so that neither moves the other under the pointer.
  const warnings = query.data && warningsOfAll.data?.warnings;
  const { counts, pagination } = query.data ?? {};
  const target = { to: '/w/$org/repositories', params: { org } } as const;
  const change = (changes: RepositoryListSearch, replace = false): void =>
    void navigate({ ...target, search: { ...search, ...changes, page: undefined }, replace });
  const total = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const isFiltered = search.q !== undefined || search.state !== undefined || search.attention !== undefined;
  const attention = warnings && new Set(warnings.map(({ repoId }) => repoId)).size;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <Places org={org} />
      </ScreenHead>
      <TabNav label={text.attention}>
        {([undefined, 'true'] as const).map((value) => (
          <Tab
            key={value ?? 'all'}
            {...target}
            search={{ ...search, attention: value, page: undefined }}
            {...(search.attention === value && { 'aria-current': 'page' as const })}
            {...(value && attention !== undefined && { counter: attention })}
          >
            {value ? text.attention : text.all}
          </Tab>
        ))}
      </TabNav>
      <QueryError query={warningsOfAll} failed={text.warningsFailed} />
      {!isFiltered && search.page === undefined && warnings !== undefined && warnings.length > 0 && (
        <>
          <WarningList org={org} warnings={warnings.slice(0, MAX_WARNINGS)} />
          {warnings.length > MAX_WARNINGS && (
            <p>
              {text.more(warnings.length - MAX_WARNINGS)}{' '}
              <Link {...target} search={{ attention: 'true' }}>
                {text.showAllAttention}
              </Link>
            </p>
          )}
        </>
      )}
      <Tools>
        <SearchField label={text.search} value={search.q ?? ''} onSearch={(q) => change({ q: q || undefined }, true)} />
        <Select
          aria-label={text.state}
          value={search.state ?? ''}
          onChange={({ target: { value } }) => change({ state: parseRepositoryListSearch({ state: value }).state })}
        >
          <Select.Option value="">{text.everyState(total ?? 0)}</Select.Option>
          {SETUP_STATES.map((state) => (
            <Select.Option key={state} value={state}>
              {text.stateWithCount(state, counts?.[state] ?? 0)}
            </Select.Option>
          ))}
        </Select>
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.failed}>
        {({ groups, pagination: pages }, isStale) =>
          warningsOfAll.isPending ? (
            <Placeholder />
          ) : pages.total > 0 ? (
            <>
              <LiveTable
                caption={text.caption}
                columns={Object.values(text.columns)}
                rows={groups.flatMap(({ repos }) => repos)}
                toId={({ id }) => id}
                filters={search}
                isStale={isStale}
                changed={text.changed}
              >
                {(repository, isGone) => (
                  <RepositoryRow
                    key={repository.id}
                    org={org}
                    repository={repository}
                    isGone={isGone}
                    warnings={warnings?.filter(({ repoId }) => repoId === repository.id) ?? []}
                  />
                )}
              </LiveTable>
              <Pager pagination={pages} />
            </>
          ) : isFiltered ? (
            <EmptyState title={search.attention && !search.q && !search.state ? text.noAttention : text.noMatch}>
              <ButtonLink {...target} search={{}}>
                {common.clearFilters}
              </ButtonLink>
            </EmptyState>
          ) : (
            <NoRepositories />
          )
        }
      </QueryRegion>
    </>
  );
}

/** The places of the plan that are in use, with a link to the plan. Nothing where plans limit nothing. */
function Places({ org }: { readonly org: string }) {
  const hasPlans = useQuery(configQuery).data?.billing ?? false;
  const { data, error } = useQuery({ ...billingQuery, enabled: hasPlans });
  if (!data && !error) return null;
  return (
    <Link to="/w/$org/settings/billing" params={{ org }}>
      {data ? text.places(data.managedRepositories.used, data.managedRepositories.limit) : text.placesUnknown}
    </Link>
  );
}

function NoRepositories() {
  const installUrl = useQuery(configQuery).data?.installUrl;
  return (
    <EmptyState title={text.none}>
      <p>{text.noneHint}</p>
      {installUrl && <LinkButton href={installUrl}>{text.install}</LinkButton>}
    </EmptyState>
  );
}

interface RepositoryRowProps {
  readonly org: string;
  readonly repository: Schema<'Repository'>;
  /** No longer part of the list. */
  readonly isGone: boolean;
  readonly warnings: readonly Schema<'RepositoryWarning'>[];
}

function RepositoryRow({ org, repository, isGone, warnings }: RepositoryRowProps) {
  const { id, name, setupState, protection, integrity, workflow, lastSyncedAt } = repository;
  const [first] = warnings;
  return (
    <Row inert={isGone}>
      <th scope="row">
        <Link to="/w/$org/repositories/$repoId" params={{ org, repoId: id }}>
          {name}
        </Link>{' '}
        {repository.private && <Label variant="secondary">{text.private}</Label>}
        {first && (
          <div className="quiet" lang="en">
            {first.detail}
          </div>
        )}
        {warnings.length > 1 && <div className="quiet">{text.more(warnings.length - 1)}</div>}
      </th>
      <td>
        <SetupLabel state={setupState} />
      </td>
      <td>
        <ProtectionLabel status={protection.status} />
      </td>
      <td>
        {integrity.status === 'tampered' ? (
          <IntegrityLabel status="tampered" />
        ) : (
          <WorkflowLabel status={workflow.status} />
        )}
      </td>
      <td>{lastSyncedAt === null ? text.neverSynced : <RelativeTime date={lastSyncedAt} />}</td>
    </Row>
  );
}
