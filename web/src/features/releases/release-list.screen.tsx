import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Schema } from '../../api/client.js';
import { useIsAdmin } from '../../api/session.query.js';
import { toDay } from '../../release-ui/freeze-days.js';
import { freezesQuery } from '../../release-ui/freezes.query.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink } from '../../ui/links.js';
import { loadCode } from '../../ui/load-code.js';
import { Pager } from '../../ui/pager.js';
import { QueryError, QueryRegion } from '../../ui/query-region.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState, Placeholder } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text as newRelease } from '../../texts/en/new-release.js';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { Row } from '../../ui/table.js';
import { text } from '../../texts/en/releases.js';
import { ConditionActors } from './condition-actors.js';
import { DueDay } from './due-day.js';
import { FreezeBanner } from './freeze-banner.js';
import { releaseListQuery, ungovernedQuery, waitingOverridesQuery } from './release-list.query.js';
import classes from './release-list.module.css';
import { OUTCOMES } from './release-list.search.js';
import { UngovernedNotice } from './ungoverned-notice.js';

const ROUTE = '/session/w/$org/releases';
const NewReleaseDialog = lazy(async () => ({
  default: (await loadCode(() => import('../../release-ui/new-release-dialog.js'))).NewReleaseDialog,
}));

const FirstSteps = lazy(async () => ({
  default: (await loadCode(() => import('./first-steps.js'))).FirstSteps,
}));

const OrderSelect = lazy(async () => ({
  default: (await loadCode(() => import('./order-select.js'))).OrderSelect,
}));
const ShippedMatches = lazy(async () => ({
  default: (await loadCode(() => import('./shipped-matches.js'))).ShippedMatches,
}));
const WaitingOverrides = lazy(async () => ({
  default: (await loadCode(() => import('./waiting-overrides.js'))).WaitingOverrides,
}));
const ReleaseStages = lazy(async () => ({
  default: (await loadCode(() => import('./release-stages.js'))).ReleaseStages,
}));

const EnvironmentList = lazy(async () => ({
  default: (await loadCode(() => import('./environment-list.js'))).EnvironmentList,
}));

const COLUMNS = ['release', 'outcome', 'blocker', 'due', 'issues', 'changed'] as const;
const WEEK_MS = 604_800_000;

/** The active releases of the workspace, or what is deployed where. */
export function ReleaseListScreen() {
  const { view } = useSearch({ from: ROUTE });
  if (view !== 'environments') return <ReleaseList />;
  return (
    <Suspense fallback={<Placeholder />}>
      <EnvironmentList />
    </Suspense>
  );
}

/** The active releases of the workspace: the outcome of each, and what keeps its gate closed. */
function ReleaseList() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(releaseListQuery(search));
  const { counts, pagination } = query.data ?? {};
  const since = toDay(useNow() - WEEK_MS);
  // A search has requests of its own.
  const ungoverned = useQuery({ ...ungovernedQuery(since), enabled: search.q === undefined });
  const isAdmin = useIsAdmin();
  const freezes = useQuery(freezesQuery);
  const overrides = useQuery({ ...waitingOverridesQuery, enabled: isAdmin });
  // The notices and the list appear together, so that neither moves the other. Then they stay, whatever is read again.
  const [areNoticesKnown, setAreNoticesKnown] = useState(false);
  const isRead = [freezes, overrides, ungoverned].every(
    ({ isLoading, failureCount }) => !isLoading || failureCount > 0,
  );
  if (isRead && !areNoticesKnown) setAreNoticesKnown(true);
  const areNoticesShown = areNoticesKnown && query.data !== undefined;
  const isByStage = search.view === 'stages';
  const target = { to: '/w/$org/releases', params: { org } } as const;
  const isFiltered = search.q !== undefined || search.outcome !== undefined;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <ButtonLink
          {...target}
          search={{ ...search, view: isByStage ? undefined : 'stages', page: undefined, size: undefined }}
        >
          {isByStage ? text.asList : text.byStage}
        </ButtonLink>
        <ButtonLink {...target} search={{ view: 'environments' }}>
          {text.byEnvironment}
        </ButtonLink>
        <NewRelease />
      </ScreenHead>
      <TabNav label={text.columns.outcome}>
        {[undefined, ...OUTCOMES].map((outcome) => (
          <Tab
            key={outcome ?? 'all'}
            {...target}
            activeOptions={{ explicitUndefined: true }}
            search={{ ...search, outcome, page: undefined }}
            {...(search.outcome === outcome && { 'aria-current': 'page' as const })}
            counter={counts ? counts[outcome ?? 'all'] : null}
          >
            {outcome ? common.outcomes[outcome] : text.all}
          </Tab>
        ))}
      </TabNav>
      <Tools>
        <SearchField
          label={text.search}
          value={search.q ?? ''}
          onSearch={(q) =>
            void navigate({ ...target, search: { ...search, q: q || undefined, page: undefined }, replace: true })
          }
        />
        {!isByStage && (
          <div className={classes['order']}>
            <Suspense>
              <OrderSelect />
            </Suspense>
          </div>
        )}
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <Suspense fallback={<Placeholder />}>
        {isAdmin && <WaitingOverrides isShown={areNoticesShown} />}
        {areNoticesShown && (
          <>
            <FreezeBanner />
            <QueryError query={ungoverned} failed={text.ungovernedFailed} />
            {search.q === undefined && ungoverned.data !== undefined && ungoverned.data > 0 && (
              <UngovernedNotice count={ungoverned.data} from={since} />
            )}
          </>
        )}
        <QueryRegion query={query} failed={text.failed}>
          {({ releases, pagination: pages }, isStale) =>
            !areNoticesKnown ? (
              <Placeholder />
            ) : (pages?.total ?? 0) > 0 ? (
              <>
                {isByStage ? (
                  <Suspense fallback={<Placeholder />}>
                    <ReleaseStages releases={releases} isStale={isStale} />
                  </Suspense>
                ) : (
                  <LiveTable
                    caption={text.caption}
                    columns={COLUMNS.map((column) => text.columns[column])}
                    rows={releases}
                    toId={({ milestoneId }) => milestoneId}
                    filters={search}
                    isStale={isStale}
                    changed={text.changed}
                  >
                    {(release, isGone) => <ReleaseRow key={release.milestoneId} release={release} isGone={isGone} />}
                  </LiveTable>
                )}
                <Pager pagination={pages} />
              </>
            ) : isFiltered ? (
              <EmptyState title={text.noMatch}>
                <ButtonLink {...target} search={{ sort: search.sort, view: search.view }}>
                  {common.clearFilters}
                </ButtonLink>
              </EmptyState>
            ) : (
              <>
                <EmptyState title={text.none}>
                  <p>{text.noneHint}</p>
                </EmptyState>
                <Suspense>
                  <FirstSteps />
                </Suspense>
              </>
            )
          }
        </QueryRegion>
      </Suspense>
      {search.q !== undefined && (
        <Suspense>
          <ShippedMatches search={search.q} />
        </Suspense>
      )}
    </>
  );
}

function NewRelease() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        {newRelease.open}
      </Button>
      {isOpen && (
        <Suspense>
          <NewReleaseDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

interface ReleaseRowProps {
  readonly release: Schema<'Release'>;
  /** No longer part of the list. */
  readonly isGone: boolean;
}

function ReleaseRow({ release, isGone }: ReleaseRowProps) {
  const { repo, version, title, stage, outcome, readiness, blockers, moreBlockers, issues, updatedAt } = release;
  const [first] = blockers;
  const others = Math.max(blockers.length - 1, 0) + moreBlockers;
  return (
    <Row inert={isGone}>
      <th scope="row">
        <Link to="/w/$org/releases/$id" params={{ org: release.org, id: release.milestoneId }} preload="intent">
          {repo} {version}
        </Link>
        {title !== version && <div className="quiet">{title}</div>}
        <div className="quiet">{common.stages[stage]}</div>
      </th>
      <td>
        <OutcomeLabel outcome={outcome} readiness={readiness} />
      </td>
      <td>
        {first && (
          <>
            <span lang="en">{first.detail}</span>
            <div className="quiet">
              <ConditionActors condition={first} />
              {others > 0 && ` · ${text.more(others)}`}
            </div>
          </>
        )}
      </td>
      <td>
        <DueDay {...release} />
      </td>
      <td className="one-line">{issues && text.issues(issues.open, issues.closed)}</td>
      <td>
        <RelativeTime date={updatedAt} />
      </td>
    </Row>
  );
}
