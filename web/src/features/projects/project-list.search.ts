import { compact, parsePage, parseText, type PageSearch, type RawSearch } from '../../api/search-params.js';

/** The search and the page in the URL. */
export interface ProjectListSearch extends PageSearch {
  readonly q?: string | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseProjectListSearch = (query: RawSearch): ProjectListSearch =>
  compact({ q: parseText(query['q']), ...parsePage(query) });
