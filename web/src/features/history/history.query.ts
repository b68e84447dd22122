import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { toHistoryParameters, type HistorySearch } from './history.search.js';

/** One page of the deployments, and the names of all repositories with a deployment. */
export const historyQuery = ({ page = 1, size = DEFAULT_PAGE_SIZE, ...search }: HistorySearch) => {
  const filters = toHistoryParameters(search);
  return queryOptions({
    queryKey: ['history', 'list', { ...filters, page, size }],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/history', { params: { query: { ...filters, page, pageSize: size } }, signal })),
    placeholderData: keepPreviousData,
  });
};
