import { queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../api/client.js';

/** The first page of what runs and is not approved, in all repositories that the user can read. */
export const notApprovedQuery = queryOptions({
  queryKey: ['running', 'not-approved'],
  queryFn: ({ signal }) =>
    readBody(api.GET('/api/running', { params: { query: { governed: 'false', pageSize: 10 } }, signal })),
});

/** The first page of what runs of one repository. */
export const runningQuery = ({ org, name, id }: Pick<Schema<'Repository'>, 'org' | 'name' | 'id'>) =>
  queryOptions({
    queryKey: ['running', id],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/running', { params: { query: { repo: `${org}/${name}`, pageSize: 50 } }, signal })),
  });
