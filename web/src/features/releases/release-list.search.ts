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

/** The orders of the list besides the one in which it opens, the most urgent first. */
export const ORDERS = ['due', 'updated', 'repository'] as const;

/** The filters, the order and the view in the URL. Default values are absent. */
export interface ReleaseListSearch extends PageSearch {
  readonly q?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly sort?: (typeof ORDERS)[number] | undefined;
  /**
   * Instead of a list: a row for each repository and a column for each stage, or for each environment with what is deployed there. The
   * latter has no outcomes and no order.
   */
  readonly view?: 'stages' | 'environments' | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseReleaseListSearch = (query: RawSearch): ReleaseListSearch =>
  compact({
    q: parseText(query['q']),
    outcome: parseChoice(OUTCOMES, query['outcome']),
    sort: parseChoice(ORDERS, query['sort']),
    view: parseChoice(['stages', 'environments'], query['view']),
    ...parsePage(query),
  });
