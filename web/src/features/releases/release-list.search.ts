import type { Schema } from '../../api/client.js';

type Outcome = NonNullable<Schema<'Release'>['outcome']>;

export const OUTCOMES = ['blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'] as const satisfies Outcome[];
export const DEFAULT_PAGE_SIZE = 25;
const PAGE_SIZES = [10, DEFAULT_PAGE_SIZE, 50] as const;
const MAX_SEARCH_LENGTH = 200;
const MAX_PAGE = 100_000;

/** The filters in the URL. Default values are absent. */
export interface ReleaseListSearch {
  readonly q?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly page?: number | undefined;
  readonly size?: (typeof PAGE_SIZES)[number] | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export function parseReleaseListSearch(query: Readonly<Record<string, unknown>>): ReleaseListSearch {
  const q = typeof query['q'] === 'string' ? query['q'].trim().slice(0, MAX_SEARCH_LENGTH) : '';
  const outcome = OUTCOMES.find((value) => value === query['outcome']);
  const page = Number(query['page']);
  const size = PAGE_SIZES.find((value) => value === Number(query['size']));
  return {
    ...(q !== '' && { q }),
    ...(outcome && { outcome }),
    ...(Number.isInteger(page) && page > 1 && page <= MAX_PAGE && { page }),
    ...(size && size !== DEFAULT_PAGE_SIZE && { size }),
  };
}
