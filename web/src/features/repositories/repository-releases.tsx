import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/repositories.js';
import { repositoryReleasesQuery } from './repositories.query.js';

const ROUTE = '/session/w/$org/repositories/$repoId';

/** All releases of a repository, also shipped and cancelled ones. */
export function RepositoryReleases({ repository }: { readonly repository: Schema<'Repository'> }) {
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: '/w/$org/repositories/$repoId' });
  const query = useQuery(repositoryReleasesQuery(repository, search));
  return (
    <>
      <Tools>
        <SearchField
          label={text.releaseSearch}
          value={search.q ?? ''}
          onSearch={(q) => void navigate({ search: { ...search, q: q || undefined, page: undefined }, replace: true })}
        />
      </Tools>
      <QueryRegion query={query} failed={text.releasesFailed}>
        {({ milestones, pagination }, isStale) =>
          milestones.length > 0 ? (
            <>
              <Table caption={text.releasesCaption} columns={Object.values(text.releaseColumns)} isStale={isStale}>
                {milestones.map((release) => (
                  <ReleaseRow key={release.milestoneId} release={release} />
                ))}
              </Table>
              <Pager pagination={pagination} />
            </>
          ) : (
            <EmptyState title={search.q ? text.noReleaseMatch : text.noReleases}>
              {!search.q && <p>{text.noReleasesHint}</p>}
            </EmptyState>
          )
        }
      </QueryRegion>
    </>
  );
}

function ReleaseRow({ release }: { readonly release: Schema<'Release'> }) {
  const { milestoneId, version, title, stage, outcome, readiness, cancelledAt, updatedAt } = release;
  return (
    <Row>
      <th scope="row">
        <ReleaseLink id={milestoneId}>{version}</ReleaseLink>
        {title !== version && <div className="quiet">{title}</div>}
      </th>
      <td>
        {cancelledAt !== null && <StatusLabel kind="neutral">{text.cancelled}</StatusLabel>}
        {cancelledAt === null && stage === 'DEPLOYED' && <StatusLabel kind="shipped">{text.shipped}</StatusLabel>}
        <OutcomeLabel outcome={outcome} readiness={readiness} />
      </td>
      <td>{common.stages[stage]}</td>
      <td>
        <RelativeTime date={updatedAt} />
      </td>
    </Row>
  );
}
