import { compact, parseOneOf, parsePage, type PageSearch, type RawSearch } from '../../api/search-params.js';

/** Whose reviews the list shows. `mine` is the default, and absent in the URL. */
export interface PendingReviewsSearch extends PageSearch {
  readonly scope?: 'workspace' | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parsePendingReviewsSearch = (query: RawSearch): PendingReviewsSearch =>
  compact({ scope: parseOneOf(['workspace'] as const, query['scope']), ...parsePage(query) });
