import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../api/client.js';

const COMPARING_MS = 5_000;

/** What changed in a release since the last shipped one. Repeated while the service compares the tests. */
export const reviewBriefQuery = (id: string) =>
  queryOptions({
    queryKey: ['reviews', 'brief', id],
    queryFn: ({ signal }) => readBody(api.GET('/api/reviews/release/{id}/brief', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.tests.comparison === 'pending' ? COMPARING_MS : false),
  });
