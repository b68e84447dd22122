import { compact, parsePage, parseText, type PageSearch, type RawSearch } from '../../api/search-params.js';

/** The filter in the URL. */
export interface WorkspaceListSearch extends PageSearch {
  /** A part of the login of the organization. */
  readonly q?: string | undefined;
}

export const parseWorkspaceListSearch = (query: RawSearch): WorkspaceListSearch =>
  compact({ q: parseText(query['q']), ...parsePage(query) });
