import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import type { ReleaseListSearch } from './release-list.search.js';

/** The repositories of a page have all their releases together, so a page has as many as the service accepts. */
const STAGES_PAGE_SIZE = 50;

const MAX_WAITING = 50;

/** One page of the active releases, with the number of releases of each outcome. */
export const releaseListQuery = ({ q, outcome, view, page = 1, ...search }: ReleaseListSearch) => {
  const query = {
    page,
    pageSize: search.size ?? (view === 'stages' ? STAGES_PAGE_SIZE : DEFAULT_PAGE_SIZE),
    sort: view === 'stages' ? 'repository' : (search.sort ?? 'urgency'),
    ...(q && { search: q }),
    ...(outcome && { outcome }),
  } as const;
  return queryOptions({
    queryKey: ['releases', 'list', query],
    queryFn: ({ signal }) => readBody(api.GET('/api/dashboard', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** The deployments that bypassed the gate from this day on, in UTC. Only their number is read. */
export const ungovernedQuery = (from: string) =>
  queryOptions({
    queryKey: ['history', 'ungoverned', { from }],
    queryFn: async ({ signal }) => {
      const query = { kind: 'ungoverned', from, page: 1, pageSize: 10 } as const;
      return (await readBody(api.GET('/api/history', { params: { query }, signal }))).pagination?.total ?? 0;
    },
    placeholderData: keepPreviousData,
  });

/** The first requests for waivers and break-glass that a second admin can confirm, those that end first before the others. */
export const waitingOverridesQuery = queryOptions({
  queryKey: ['overrides', 'waiting'],
  queryFn: ({ signal }) =>
    readBody(
      api.GET('/api/overrides', { params: { query: { state: 'waiting', page: 1, pageSize: MAX_WAITING } }, signal }),
    ),
});
