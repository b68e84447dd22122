import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, readBody, type Schema } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink, ExternalLink, Sha } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/states.js';
import { Row } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text as environments } from '../../texts/en/environments.js';
import { text as releases } from '../../texts/en/releases.js';
import type { ReleaseListSearch } from './release-list.search.js';

const ROUTE = '/session/w/$org/releases';
const ROLES = ['development', 'testing', 'deployment'] as const satisfies Schema<'Environment'>['role'][];
const text = environments.view;

const environmentListQuery = ({ q, page = 1, size = DEFAULT_PAGE_SIZE }: ReleaseListSearch) => {
  const query = { page, pageSize: size, ...(q && { search: q }) };
  return queryOptions({
    queryKey: ['environments', 'list', query],
    queryFn: ({ signal }) => readBody(api.GET('/api/environments', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** A row for each repository and a column for each environment of its policy, with what is deployed there. */
export function EnvironmentList() {
  const { q, page, size } = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(environmentListQuery({ q, page, size }));
  const target = { to: '/w/$org/releases', params: { org } } as const;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <ButtonLink {...target} search={{}}>
          {releases.asList}
        </ButtonLink>
        <ButtonLink {...target} search={{ view: 'stages' }}>
          {releases.byStage}
        </ButtonLink>
      </ScreenHead>
      <Tools>
        <SearchField
          label={text.search}
          value={q ?? ''}
          onSearch={(term) =>
            void navigate({ ...target, search: { view: 'environments', size, q: term || undefined }, replace: true })
          }
        />
        <output>{query.data && text.count(query.data.pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.failed}>
        {({ repositories, pagination }, isStale) =>
          repositories.length > 0 ? (
            <>
              <LiveTable
                caption={text.caption}
                columns={[releases.columns.repository, ...ROLES.map((role) => environments.roles[role])]}
                rows={repositories}
                toId={({ repoId }) => repoId}
                filters={{ q, page, size }}
                isStale={isStale}
                changed={text.changed}
              >
                {(repository, isGone) => (
                  <RepositoryRow key={repository.repoId} repository={repository} isGone={isGone} />
                )}
              </LiveTable>
              <Pager pagination={pagination} />
            </>
          ) : q !== undefined ? (
            <EmptyState title={text.noMatch}>
              <ButtonLink {...target} search={{ view: 'environments' }}>
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

interface RepositoryRowProps {
  readonly repository: Schema<'RepositoryEnvironments'>;
  /** No longer part of the list. */
  readonly isGone: boolean;
}

function RepositoryRow({ repository: { repoId, repo, environments: places }, isGone }: RepositoryRowProps) {
  const { org } = useParams({ from: ROUTE });
  return (
    <Row inert={isGone}>
      <th scope="row">
        <Link to="/w/$org/repositories/$repoId" params={{ org, repoId }}>
          {repo}
        </Link>
      </th>
      {ROLES.map((role) => {
        const environment = places.find((place) => place.role === role);
        return <td key={role}>{environment && <Deployed environment={environment} />}</td>;
      })}
    </Row>
  );
}

function Deployed({ environment }: { readonly environment: Schema<'Environment'> }) {
  const { name, commitSha, commitUrl, milestoneId, version, since, runUrl, kind } = environment;
  if (commitSha === null) {
    return (
      <>
        {name}
        <div className="quiet">{environments.nothing}</div>
      </>
    );
  }
  return (
    <>
      {name}: {milestoneId === null ? environments.noRelease : <ReleaseLink id={milestoneId}>{version}</ReleaseLink>}
      <div className="quiet">
        <Sha sha={commitSha} href={commitUrl} />
        {since !== null && (
          <>
            , <RelativeTime date={since} />
          </>
        )}
      </div>
      {kind === 'ungoverned' && (
        <div>
          <StatusLabel kind="ungoverned">{environments.ungoverned}</StatusLabel>
        </div>
      )}
      {runUrl !== null && <ExternalLink href={runUrl}>{environments.run}</ExternalLink>}
    </>
  );
}
