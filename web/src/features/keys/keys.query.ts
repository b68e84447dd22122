import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';

/** The API keys of the workspace that are not revoked. */
export const apiKeysQuery = queryOptions({
  queryKey: ['keys', 'service'],
  queryFn: ({ signal }) => readBody(api.GET('/api/settings/api-keys', { signal })),
});

/** The keys of the user that are not revoked. */
export const personalKeysQuery = queryOptions({
  queryKey: ['keys', 'personal'],
  queryFn: ({ signal }) => readBody(api.GET('/api/settings/mcp-keys', { signal })),
});
