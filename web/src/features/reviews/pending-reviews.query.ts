import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { PendingReviewsSearch } from './pending-reviews.search.js';

const CHECKING_MS = 5_000;

/** One page of the releases that wait for approvals. Repeated while the service checks with GitHub who may approve some of them. */
export const pendingReviewsQuery = ({ scope, page = 1, size = DEFAULT_PAGE_SIZE }: PendingReviewsSearch) =>
  queryOptions({
    queryKey: ['reviews', 'pending', { scope: scope ?? 'mine', page, size }],
    queryFn: ({ signal }) => {
      const filter = scope === 'unknown' ? { eligibility: scope } : { scope: scope ?? ('mine' as const) };
      const query = { ...filter, page, pageSize: size };
      return readBody(api.GET('/api/reviews/pending', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.unknown ? CHECKING_MS : false),
  });
