import { queryOptions, useQuery } from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { api, readBody, type Schema } from './client.js';
import type { paths } from './schema.gen.js';

/** The signed-in user with the selected workspace. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => readBody(api.GET('/api/auth/me', { signal })),
});

/** Reads the user of the present session, also on a page that sends no other request. */
export const readPresentUser = (): Promise<Schema<'CurrentUser'>> =>
  readBody(createClient<paths>({ baseUrl: location.origin }).GET('/api/auth/me'));

/** The signed-in user. Only for screens with a session. It is read again when an event announces a change of the members. */
export const useMe = () => useQuery({ ...meQuery, staleTime: Infinity }).data;

/** Whether the user is an admin of the selected workspace. The service decides; this only explains a disabled button. */
export const useIsAdmin = (): boolean => useMe()?.workspace?.role === 'admin';

/** Whether the user can read the audit log: as an auditor or as an admin. The service decides; this only offers what it accepts. */
export const useIsAuditor = (): boolean => {
  const workspace = useMe()?.workspace;
  return workspace?.role === 'admin' || workspace?.auditor === true;
};

/** Public facts about the service, for example the address of GitHub. It changes only with a restart. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => readBody(api.GET('/api/config/status', { signal })),
  staleTime: 'static',
});

/** How often the workspaces are read again while the service reads new organizations of the user from GitHub. */
const READING_MS = 2_000;
/** How often they are read again if there is none, because a colleague may install the app now. */
const NONE_MS = 5_000;

/** The workspaces that the user can select. They are read again until there is one. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => readBody(api.GET('/api/auth/workspaces', { signal })),
  refetchInterval: ({ state: { data } }) => {
    if (data?.reading) return READING_MS;
    return data?.workspaces.length === 0 && NONE_MS;
  },
});
