import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { RepositoryListSearch, RepositorySearch } from './repositories.search.js';

/** One page of the repositories, with the number of them in each state of the set-up. */
export const repositoryListQuery = ({
  q,
  state,
  attention,
  page = 1,
  size = DEFAULT_PAGE_SIZE,
}: RepositoryListSearch) =>
  queryOptions({
    queryKey: ['repositories', 'list', { q, state, attention, page, size }],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        pageSize: size,
        ...(q && { search: q }),
        ...(state && { setupState: state }),
        ...(attention && { attention }),
      };
      // An array is the response to requests without a page.
      return (await readBody(api.GET('/api/repos', { params: { query }, signal }))) as Schema<'RepositoryList'>;
    },
    placeholderData: keepPreviousData,
  });

export const repositoryQuery = (repoId: string) =>
  queryOptions({
    queryKey: ['repository', repoId, 'details'],
    queryFn: ({ signal }) => readBody(api.GET('/api/repos/{repoId}', { params: { path: { repoId } }, signal })),
  });

/** The warnings of all repositories that the user can read. */
export const warningsQuery = queryOptions({
  queryKey: ['warnings'],
  queryFn: ({ signal }) => readBody(api.GET('/api/config/repo-warnings', { signal })),
});

/** One page of all releases of a repository. */
export const repositoryReleasesQuery = (
  { org, name, id }: Pick<Schema<'Repository'>, 'org' | 'name' | 'id'>,
  { q, page = 1, size = DEFAULT_PAGE_SIZE }: RepositorySearch,
) =>
  queryOptions({
    queryKey: ['repository', id, 'releases', { q, page, size }],
    queryFn: ({ signal }) => {
      const params = { path: { owner: org, repo: name }, query: { page, pageSize: size, ...(q && { search: q }) } };
      return readBody(api.GET('/api/milestones/{owner}/{repo}', { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** The workflow files as they are on GitHub now. Each read calls GitHub. */
export const workflowUpdateQuery = (repoId: string) =>
  queryOptions({
    queryKey: ['workflow-update', repoId],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/repos/{repoId}/workflow-update-status', { params: { path: { repoId } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
