import { Heading, LinkButton, Pagination, UnderlineNav } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { createLink, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState, ErrorState } from '../../ui/states.js';
import { words } from '../../words/en.js';
import { releaseListQuery } from './release-list.query.js';
import classes from './release-list.module.css';
import { OUTCOMES } from './release-list.search.js';

const ROUTE = '/session/w/$org/releases';
const Tab = createLink(UnderlineNav.Item);
const ButtonLink = createLink(LinkButton);
const text = words.releases;

/** The active releases of the workspace: the outcome of each, and what keeps its gate closed. */
export function ReleaseListScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const [router, navigate] = [useRouter(), useNavigate()];
  const { data, error, isPlaceholderData, refetch } = useQuery(releaseListQuery(search));
  const { counts, pagination } = data ?? {};
  const target = { to: '/w/$org/releases', params: { org } } as const;
  const isFiltered = search.q !== undefined || search.outcome !== undefined;
  return (
    <>
      <Heading as="h1">{text.title}</Heading>
      <UnderlineNav aria-label={text.columns.outcome} loadingCounters={!counts}>
        {[undefined, ...OUTCOMES].map((outcome) => (
          <Tab
            key={outcome ?? 'all'}
            {...target}
            search={{ ...search, outcome, page: undefined }}
            {...(search.outcome === outcome && { 'aria-current': 'page' as const })}
            {...(counts && { counter: counts[outcome ?? 'all'] })}
          >
            {outcome ? text.outcomes[outcome] : text.all}
          </Tab>
        ))}
      </UnderlineNav>
      <div className={classes['tools']}>
        <SearchField
          label={text.search}
          value={search.q ?? ''}
          onSearch={(q) =>
            void navigate({ ...target, search: { ...search, q: q || undefined, page: undefined }, replace: true })
          }
        />
        <output>{pagination && text.count(pagination.total)}</output>
      </div>
      {error && <ErrorState title={data ? text.stale : text.failed} error={error} onRetry={() => void refetch()} />}
      {pagination && pagination.total > 0 && (
        <>
          <ReleaseTable releases={data?.releases ?? []} isStale={isPlaceholderData || error !== null} />
          {pagination.pages > 1 && (
            <Pagination
              aria-label={text.pages}
              pageCount={pagination.pages}
              currentPage={pagination.page}
              hrefBuilder={(page) => router.buildLocation({ ...target, search: { ...search, page } }).href}
              onPageChange={(event, page) => {
                event.preventDefault();
                void navigate({ ...target, search: { ...search, page } });
              }}
            />
          )}
        </>
      )}
      {pagination?.total === 0 &&
        (isFiltered ? (
          <EmptyState title={text.noMatch}>
            <ButtonLink {...target} search={{}}>
              {text.clearFilters}
            </ButtonLink>
          </EmptyState>
        ) : (
          <EmptyState title={text.none}>
            <p>{text.noneHint}</p>
          </EmptyState>
        ))}
    </>
  );
}

/** While other filters load, the former rows stay but cannot be used. */
function ReleaseTable({
  releases,
  isStale,
}: {
  readonly releases: readonly Schema<'Release'>[];
  readonly isStale: boolean;
}) {
  return (
    <table className={classes['table']} aria-busy={isStale} inert={isStale}>
      <caption className="sr-only">{text.caption}</caption>
      <thead>
        <tr>
          {Object.entries(text.columns).map(([name, title]) => (
            <th scope="col" key={name}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {releases.map((release) => (
          <ReleaseRow key={release.milestoneId} release={release} />
        ))}
      </tbody>
    </table>
  );
}

function ReleaseRow({ release }: { readonly release: Schema<'Release'> }) {
  const { repo, version, title, stage, outcome, readiness, blockers, moreBlockers, issues, updatedAt } = release;
  const [first] = blockers;
  const others = Math.max(blockers.length - 1, 0) + moreBlockers;
  return (
    <tr>
      <th scope="row">
        <a href={release.milestoneUrl} rel="noopener noreferrer">
          {repo} {version}
        </a>
        {title !== version && <div className={classes['quiet']}>{title}</div>}
        <div className={classes['quiet']}>{text.stages[stage]}</div>
      </th>
      <td>
        <OutcomeLabel outcome={outcome} readiness={readiness} />
      </td>
      <td>
        {first && (
          <>
            <span lang="en">{first.detail}</span>
            <div className={classes['quiet']}>
              {text.actors[first.actor]}
              {others > 0 && ` · ${text.more(others)}`}
            </div>
          </>
        )}
      </td>
      <td>{issues && text.issues(issues.open, issues.closed)}</td>
      <td>
        <RelativeTime date={updatedAt} />
      </td>
    </tr>
  );
}
