import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../api/client.js';

const PAGE_SIZE = 50;

/** The first repositories that match, for a choice. */
export const repositoryChoicesQuery = (search: string) =>
  queryOptions({
    queryKey: ['repositories', 'choices', { search }],
    queryFn: async ({ signal }) => {
      const query = { page: 1, pageSize: PAGE_SIZE, ...(search !== '' && { search }) } as const;
      // An array is the response to requests without a page.
      return (await readBody(api.GET('/api/repos', { params: { query }, signal }))) as Schema<'RepositoryList'>;
    },
    placeholderData: keepPreviousData,
  });
