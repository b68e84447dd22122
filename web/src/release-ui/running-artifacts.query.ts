import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../api/client.js';

/** A page of what runs and is not approved, in all repositories that the user can read. */
export const notApprovedQuery = (page = 1) =>
  queryOptions({
    queryKey: ['running', 'not-approved', page],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/running', { params: { query: { governed: 'false', page, pageSize: 10 } }, signal })),
    placeholderData: keepPreviousData,
  });

/** A page of what runs of one repository. */
export const runningQuery = ({ org, name, id }: Pick<Schema<'Repository'>, 'org' | 'name' | 'id'>, page = 1) =>
  queryOptions({
    queryKey: ['running', id, page],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/running', { params: { query: { repo: `${org}/${name}`, page, pageSize: 50 } }, signal })),
    placeholderData: keepPreviousData,
  });
