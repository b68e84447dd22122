import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';

const RUNNING_MS = 5_000;

/** The last sync and the state of each repository. Repeated while a sync runs. */
export const syncQuery = queryOptions({
  queryKey: ['sync'],
  queryFn: ({ signal }) => readBody(api.GET('/api/sync', { signal })),
  refetchInterval: ({ state }) => (state.data?.status === 'running' ? RUNNING_MS : false),
});
