import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Schema } from '../../api/client.js';

import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink } from '../../ui/links.js';
import { loadCode } from '../../ui/load-code.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text as newRelease } from '../../texts/en/new-release.js';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { Row } from '../../ui/table.js';
import { text } from '../../texts/en/releases.js';
import { FreezeBanner } from './freeze-banner.js';
import { releaseListQuery } from './release-list.query.js';
import { OUTCOMES } from './release-list.search.js';
import { ShippedMatches } from './shipped-matches.js';
import { WaitingOverrides } from './waiting-overrides.js';

const ROUTE = '/session/w/$org/releases';
const NewReleaseDialog = lazy(async () => ({
  default: (await loadCode(() => import('../../release-ui/new-release-dialog.js'))).NewReleaseDialog,
}));

const FirstSteps = lazy(async () => ({
  default: (await loadCode(() => import('./first-steps.js'))).FirstSteps,
}));

/** The active releases of the workspace: the outcome of each, and what keeps its gate closed. */
export function ReleaseListScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(releaseListQuery(search));
  const { counts, pagination } = query.data ?? {};
  const target = { to: '/w/$org/releases', params: { org } } as const;
  const isFiltered = search.q !== undefined || search.outcome !== undefined;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <NewRelease />
      </ScreenHead>
      <FreezeBanner />
      <WaitingOverrides />
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
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.failed}>
        {({ releases, pagination: pages }, isStale) =>
          releases.length > 0 ? (
            <>
              <LiveTable
                caption={text.caption}
                columns={Object.values(text.columns)}
                rows={releases}
                toId={({ milestoneId }) => milestoneId}
                filters={search}
                isStale={isStale}
                changed={text.changed}
              >
                {(release, isGone) => <ReleaseRow key={release.milestoneId} release={release} isGone={isGone} />}
              </LiveTable>
              <Pager pagination={pages} />
            </>
          ) : isFiltered ? (
            <EmptyState title={text.noMatch}>
              <ButtonLink {...target} search={{}}>
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
      {search.q !== undefined && <ShippedMatches search={search.q} />}
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
              {common.actors[first.actor]}
              {others > 0 && ` · ${text.more(others)}`}
            </div>
          </>
        )}
      </td>
      <td className="one-line">{issues && text.issues(issues.open, issues.closed)}</td>
      <td>
        <RelativeTime date={updatedAt} />
      </td>
    </Row>
  );
}
