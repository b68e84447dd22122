import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../api/search-params.js';
import { toQualityFilters, type QualitySearch } from './quality.search.js';

const COMPARING_MS = 5_000;
/** The greatest page of the API. */
const MAX_SCORES = 50;

const isComparing = ({ comparison }: Schema<'ReleaseGroup'>): boolean => comparison === 'pending';

/** One page of the scorecards without their results. Repeated while the service compares the tests of one of them. */
export const qualityQuery = ({ page = 1, size = DEFAULT_PAGE_SIZE, ...search }: QualitySearch) => {
  const filters = toQualityFilters(search);
  return queryOptions({
    queryKey: ['quality', 'list', { ...filters, page, size }],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/quality', { params: { query: { ...filters, page, pageSize: size, results: 'none' } }, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.results.some(isComparing) ? COMPARING_MS : false),
  });
};

/** The scorecards of one repository, the last evidence first. */
export const scoresQuery = (repo: string) =>
  queryOptions({
    queryKey: ['quality', 'scores', { repo }],
    queryFn: ({ signal }) =>
      readBody(
        api.GET('/api/quality', {
          params: { query: { repo, page: 1, pageSize: MAX_SCORES, results: 'none' } },
          signal,
        }),
      ),
  });

/** The results of one release, and how many older ones are left out. */
export const resultsQuery = ({
  milestoneId,
  repo,
  version,
}: Pick<Schema<'ReleaseGroup'>, 'milestoneId' | 'repo' | 'version'>) =>
  queryOptions({
    queryKey: ['quality', 'results', { milestoneId }],
    queryFn: async ({ signal }) => {
      const { results } = await readBody(
        api.GET('/api/quality', { params: { query: { repo, milestone: version, page: 1, pageSize: 10 } }, signal }),
      );
      const group = results.find((found) => found.milestoneId === milestoneId);
      return { results: group?.results ?? [], moreResults: group?.moreResults ?? 0 };
    },
  });
