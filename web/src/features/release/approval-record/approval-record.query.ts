import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../../api/client.js';

/** How a release was approved. A part of the queries of the release, so its events refresh it, too. */
export const approvalRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['release', id, 'approval-record'],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/milestones/{id}/approval-record', { params: { path: { id } }, signal })),
  });
