import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE, type PageSearch } from '../../api/search-params.js';

/** One page of the audit log. */
export const auditQuery = ({ page = 1, size = DEFAULT_PAGE_SIZE }: PageSearch) =>
  queryOptions({
    queryKey: ['audit', { page, size }],
    queryFn: ({ signal }) => readBody(api.GET('/api/audit', { params: { query: { page, pageSize: size } }, signal })),
    placeholderData: keepPreviousData,
  });
