import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';

/** The members, and the invites that can be accepted. */
export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => readBody(api.GET('/api/team', { signal })),
});
