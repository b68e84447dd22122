import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../../api/client.js';
import { DEFAULT_PAGE_SIZE, type PageSearch } from '../../../api/search-params.js';

/** A page of the deployments of a release, latest first. */
export const deploymentsQuery = (id: string, { page = 1, size = DEFAULT_PAGE_SIZE }: PageSearch) =>
  queryOptions({
    queryKey: ['release', id, 'deployments', { page, size }],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/milestones/{id}/deployments', {
          params: { path: { id }, query: { page, pageSize: size } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
