import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from './client.js';

/** The signed-in user with the selected workspace. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => readBody(api.GET('/api/auth/me', { signal })),
  retry: false,
});

/** The workspaces that the user can select. Repeated while GitHub is asked for new organizations of the user. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => readBody(api.GET('/api/auth/workspaces', { signal })),
  refetchInterval: ({ state }) => (state.data?.reading ? 2_000 : false),
});
