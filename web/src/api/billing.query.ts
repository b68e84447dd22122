import { queryOptions } from '@tanstack/react-query';
import { api, readBody } from './client.js';

/** The plan, its use, and the last request for another one. */
export const billingQuery = queryOptions({
  queryKey: ['billing'],
  queryFn: ({ signal }) => readBody(api.GET('/api/billing', { signal })),
});
