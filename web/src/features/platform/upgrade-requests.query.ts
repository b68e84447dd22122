import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { UpgradeRequestsSearch } from './upgrade-requests.search.js';

/** One page of the requests of all workspaces for the pro plan. */
export const upgradeRequestsQuery = ({ status, page = 1, size = DEFAULT_PAGE_SIZE }: UpgradeRequestsSearch) =>
  queryOptions({
    queryKey: ['platform', 'upgrade-requests', { status, page, size }],
    queryFn: ({ signal }) => {
      const query = { page, pageSize: size, ...(status && { status }) };
      return readBody(api.GET('/api/platform/upgrade-requests', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
