import type { Schema } from '../../api/client.js';
import { compact, parseChoice, parsePage, type PageSearch, type RawSearch } from '../../api/search-params.js';

type Status = Schema<'UpgradeRequest'>['status'];

export const STATUSES = ['open', 'approved', 'rejected', 'withdrawn'] as const satisfies Status[];

/** The filter in the URL. Absent: every status. */
export interface UpgradeRequestsSearch extends PageSearch {
  readonly status?: Status | undefined;
}

export const parseUpgradeRequestsSearch = (query: RawSearch): UpgradeRequestsSearch =>
  compact({ status: parseChoice(STATUSES, query['status']), ...parsePage(query) });
