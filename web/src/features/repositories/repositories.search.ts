import type { Schema } from '../../api/client.js';
import {
  compact,
  parseChoice,
  parsePage,
  parsePageNumber,
  parseText,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';

export type SetupState = Schema<'Repository'>['setupState'];

/** In the order of the set-up. */
export const SETUP_STATES = [
  'NOT_STARTED',
  'PR_OPEN',
  'MERGED',
  'PROTECTION_PENDING',
  'PROTECTION_FAILED',
  'COMPLETE',
  'LEGACY',
  'SUSPENDED',
  'REMOVED',
] as const satisfies SetupState[];

/** The filters of the list in the URL. Default values are absent. */
export interface RepositoryListSearch extends PageSearch {
  readonly q?: string | undefined;
  readonly state?: SetupState | undefined;
  readonly attention?: 'true' | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseRepositoryListSearch = (query: RawSearch): RepositoryListSearch =>
  compact({
    q: parseText(query['q']),
    state: parseChoice(SETUP_STATES, query['state']),
    attention: parseChoice(['true'], query['attention']),
    ...parsePage(query),
  });

/** The search among the releases of one repository, and the page of its running artifacts. */
export interface RepositorySearch extends PageSearch {
  readonly runningPage?: number | undefined;
  readonly q?: string | undefined;
}

export const parseRepositorySearch = (query: RawSearch): RepositorySearch =>
  compact({ q: parseText(query['q']), runningPage: parsePageNumber(query['runningPage']), ...parsePage(query) });
