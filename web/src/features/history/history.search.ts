import type { Schema } from '../../api/client.js';
import {
  compact,
  parseDay,
  parseLabel,
  parseChoice,
  parsePage,
  parsePageNumber,
  parseText,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';

type Kind = Schema<'DeploymentRecord'>['kind'];

export const KINDS = ['release', 'hotfix', 'rollback', 'ungoverned'] as const satisfies Kind[];

/** The filters of the list and of its exports. */
export interface HistoryFilters {
  readonly q?: string | undefined;
  /** As "owner/name". */
  readonly repository?: string | undefined;
  readonly kind?: Kind | undefined;
  readonly environment?: string | undefined;
  /** The first day, in UTC. */
  readonly from?: string | undefined;
  /** The last day, in UTC. */
  readonly to?: string | undefined;
}

/** The filters, the opened deployment and the page of the running artifacts in the URL. */
export interface HistorySearch extends HistoryFilters, PageSearch {
  readonly runningPage?: number | undefined;
  readonly open?: string | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseHistorySearch = (query: RawSearch): HistorySearch =>
  compact({
    q: parseText(query['q']),
    repository: parseRepository(query['repository']),
    kind: parseChoice(KINDS, query['kind']),
    environment: parseLabel(query['environment']),
    from: parseDay(query['from']),
    to: parseDay(query['to']),
    open: parseText(query['open']),
    runningPage: parsePageNumber(query['runningPage']),
    ...parsePage(query),
  });

const parseRepository = (value: unknown): string | undefined => {
  const text = parseText(value);
  return text !== undefined && /^[\w.-]+\/[\w.-]+$/.test(text) ? text : undefined;
};

/** The filters as the parameters of the API. */
export const toHistoryParameters = ({ q, repository, kind, environment, from, to }: HistoryFilters) =>
  compact({ search: q, repository, kind, environment, from, to });
