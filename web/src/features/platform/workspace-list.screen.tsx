import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { text as billing } from '../../texts/en/billing.js';
import { text } from '../../texts/en/platform.js';
import type { WorkspaceListSearch } from './workspace-list.search.js';

const workspacesQuery = ({ q, page = 1, size = DEFAULT_PAGE_SIZE }: WorkspaceListSearch) =>
  queryOptions({
    queryKey: ['platform', 'workspaces', { q, page, size }],
    queryFn: ({ signal }) => {
      const query = { page, pageSize: size, ...(q && { search: q }) };
      return readBody(api.GET('/api/platform/workspaces', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** The workspaces of the service: the plan of each, and how much of its limits it uses. */
export function WorkspaceListScreen() {
  const search = useSearch({ from: '/session/platform/workspaces' });
  const navigate = useNavigate({ from: '/platform/workspaces' });
  const query = useQuery(workspacesQuery(search));
  const pagination = query.data?.pagination;
  return (
    <>
      <ScreenHead title={text.workspaces} documentTitle={text.workspaces} />
      <Tools>
        <SearchField
          label={text.search}
          value={search.q ?? ''}
          onSearch={(q) => void navigate({ search: q ? { q } : {}, replace: true })}
        />
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.failed}>
        {({ workspaces, pagination: { total } }, isStale) =>
          total > 0 ? (
            <>
              <Table caption={text.caption} columns={Object.values(text.columns)} isStale={isStale}>
                {workspaces.map(({ org, plan, managedRepositories, storage }) => (
                  <Row key={org}>
                    <th scope="row">{org}</th>
                    <td>{billing.plans[plan]}</td>
                    <td>{billing.repositories(managedRepositories.used, managedRepositories.limit)}</td>
                    <td>{billing.storage(storage.used, storage.limit)}</td>
                  </Row>
                ))}
              </Table>
              <Pager pagination={pagination} />
            </>
          ) : (
            <EmptyState title={search.q === undefined ? text.none : text.noMatch} />
          )
        }
      </QueryRegion>
    </>
  );
}
