import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { ProjectListSearch } from './project-list.search.js';

/** Time alone can close the gate of a release, and no event announces it. */
const REFRESH_MS = 60_000;

/** One page of the projects. */
export const projectListQuery = ({ q, page = 1, size = DEFAULT_PAGE_SIZE }: ProjectListSearch) =>
  queryOptions({
    queryKey: ['projects', 'list', { q, page, size }],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/projects', { params: { query: { page, pageSize: size, ...(q && { search: q }) } }, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** One project with its repositories and their releases. */
export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', 'one', { id }],
    queryFn: ({ signal }) => readBody(api.GET('/api/projects/{id}', { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });

/** The first repositories that match. */
export const repositoryChoicesQuery = (search: string) =>
  queryOptions({
    queryKey: ['repositories', 'project-choices', { search }],
    queryFn: async ({ signal }) => {
      const query = { page: 1, pageSize: DEFAULT_PAGE_SIZE, ...(search && { search }) } as const;
      const list = await readBody(api.GET('/api/repos', { params: { query }, signal }));
      // The service answers with an array only if the request names no page.
      return Array.isArray(list) ? list : list.groups.flatMap(({ repos }) => repos);
    },
    placeholderData: keepPreviousData,
  });

/** The newest releases of a repository that match. */
export const releaseChoicesQuery = (owner: string, repo: string, search: string) =>
  queryOptions({
    queryKey: ['releases', 'choices', { owner, repo, search }],
    queryFn: ({ signal }) => {
      const query = { page: 1, pageSize: DEFAULT_PAGE_SIZE, ...(search && { search }) } as const;
      return readBody(api.GET('/api/milestones/{owner}/{repo}', { params: { path: { owner, repo }, query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
