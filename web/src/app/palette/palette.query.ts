import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';

/** The service answers no shorter term. */
export const MIN_LENGTH = 2;

/** What the term finds in the workspace, a few results of each kind. */
export const searchQuery = (term: string) =>
  queryOptions({
    queryKey: ['search', term],
    queryFn: ({ signal }) => readBody(api.GET('/api/search', { params: { query: { q: term } }, signal })),
    enabled: term.length >= MIN_LENGTH,
    placeholderData: keepPreviousData,
  });
