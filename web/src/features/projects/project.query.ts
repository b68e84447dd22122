import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { serverNow } from '../../api/server-clock.js';
import type { ProjectListSearch } from './project-list.search.js';

/** The interval of the reads while a release is out of date and no event has announced its new verdict. */
const REFRESH_MS = 60_000;

/** Returns the time in milliseconds until an outcome may change with time alone, which no event announces. False if none may. */
function untilChange(projects: readonly Schema<'Project'>[]): number | false {
  const times = projects.flatMap(({ repos }) => repos.flatMap(({ release }) => release?.validUntil ?? []));
  if (times.length === 0) return false;
  const left = Math.min(...times.map((time) => Date.parse(time))) - serverNow();
  return left > 0 ? left : REFRESH_MS;
}

/** One page of the projects. */
export const projectListQuery = ({ q, page = 1, size = DEFAULT_PAGE_SIZE }: ProjectListSearch) =>
  queryOptions({
    queryKey: ['projects', 'list', { q, page, size }],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/projects', { params: { query: { page, pageSize: size, ...(q && { search: q }) } }, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilChange(state.data?.projects ?? []),
  });

/** One project with its repositories and their releases. */
export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', 'one', { id }],
    queryFn: ({ signal }) => readBody(api.GET('/api/projects/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => untilChange(state.data ? [state.data] : []),
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
