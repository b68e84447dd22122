import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../api/client.js';

/** The current and future freezes of the workspace, earliest first. */
export const freezesQuery = queryOptions({
  queryKey: ['freezes'],
  queryFn: async ({ signal }) => (await readBody(api.GET('/api/freezes', { signal }))).freezes,
});
