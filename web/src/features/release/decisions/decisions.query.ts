import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../../api/client.js';

const PAGE_SIZE = 25;

/** The decisions of a release, newest first, as many pages as the user has requested. */
export const decisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['release', id, 'decisions'],
    queryFn: ({ pageParam: page, signal }) => {
      const query = { page, pageSize: PAGE_SIZE } as const;
      return readBody(api.GET('/api/milestones/{id}/decisions', { params: { path: { id }, query }, signal }));
    },
    initialPageParam: 1,
    getNextPageParam: ({ pagination }) =>
      pagination && pagination.page < pagination.pages ? pagination.page + 1 : undefined,
  });

/** One decision with its verdict and inputs. It never changes. */
export const decisionQuery = (id: string, decisionId: string) =>
  queryOptions({
    queryKey: ['decision', id, decisionId],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/milestones/{id}/decisions/{decisionId}', { params: { path: { id, decisionId } }, signal }),
      ),
    staleTime: Infinity,
  });

/** The same decision, derived again. Only the user starts it. */
export const replayQuery = (id: string, decisionId: string) =>
  queryOptions({
    queryKey: ['decision', id, decisionId, 'replay'],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/milestones/{id}/decisions/{decisionId}/replay', {
          params: { path: { id, decisionId } },
          signal,
        }),
      ),
    enabled: false,
  });
