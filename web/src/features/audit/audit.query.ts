import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { toAuditParameters } from './audit.parameters.js';
import type { AuditSearch } from './audit.search.js';

/** One page of the audit log. */
export const auditQuery = ({ page = 1, size = DEFAULT_PAGE_SIZE, ...search }: AuditSearch) => {
  const { action, ...filters } = toAuditParameters(search);
  const query = { ...filters, ...(action !== undefined && { action: [action] }), page, pageSize: size };
  return queryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal }) => readBody(api.GET('/api/audit', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** The number and the hash of the last entry, also if that entry is hidden from the user. */
export const auditHeadQuery = queryOptions({
  queryKey: ['audit', 'head'],
  queryFn: ({ signal }) => readBody(api.GET('/api/audit/head', { signal })),
});
