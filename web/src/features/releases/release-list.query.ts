import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { ReleaseListSearch } from './release-list.search.js';

/** One page of the active releases, with the number of releases of each outcome. */
export const releaseListQuery = ({ q, outcome, page = 1, size = DEFAULT_PAGE_SIZE }: ReleaseListSearch) =>
  queryOptions({
    queryKey: ['releases', 'list', { q, outcome, page, size }],
    queryFn: ({ signal }) => {
      const query = { page, pageSize: size, ...(q && { search: q }), ...(outcome && { outcome }) };
      return readBody(api.GET('/api/dashboard', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
