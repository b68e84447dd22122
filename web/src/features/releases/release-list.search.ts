import type { Schema } from '../../api/client.js';
import {
  compact,
  parseChoice,
  parsePage,
  parseText,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';

type Outcome = NonNullable<Schema<'Release'>['outcome']>;

export const OUTCOMES = ['blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'] as const satisfies Outcome[];

/** The filters in the URL. Default values are absent. */
export interface ReleaseListSearch extends PageSearch {
  readonly q?: string | undefined;
  readonly outcome?: Outcome | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseReleaseListSearch = (query: RawSearch): ReleaseListSearch =>
  compact({ q: parseText(query['q']), outcome: parseChoice(OUTCOMES, query['outcome']), ...parsePage(query) });
