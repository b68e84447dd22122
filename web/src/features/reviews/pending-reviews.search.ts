import {
  compact,
  parseChoice,
  parseLabel,
  parsePage,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';

const SCOPES = ['workspace', 'unknown'] as const;

/**
 * The reviews that the list shows. Without a scope, those that the user can approve; `unknown` are those of which GitHub has not yet
 * confirmed it.
 */
export interface PendingReviewsSearch extends PageSearch {
  readonly scope?: (typeof SCOPES)[number] | undefined;
  /** The id of the release whose changes are shown. */
  readonly open?: string | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parsePendingReviewsSearch = (query: RawSearch): PendingReviewsSearch =>
  compact({ scope: parseChoice(SCOPES, query['scope']), open: parseLabel(query['open']), ...parsePage(query) });
