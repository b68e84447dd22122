import type { Schema } from '../../api/client.js';
import {
  compact,
  parseLabel,
  parseChoice,
  parsePage,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';
import { evidenceKinds } from '../../texts/en/evidence-kinds.js';

type Kind = Schema<'QualityResult'>['type'];

/** The filters of the list and of its exports. */
export interface QualityFilters {
  /** The name without the organization. */
  readonly repo?: string | undefined;
  readonly milestone?: string | undefined;
  readonly type?: Kind | undefined;
  readonly environment?: string | undefined;
}

/** The filters and the release whose results are shown, in the URL. */
export interface QualitySearch extends QualityFilters, PageSearch {
  readonly open?: string | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseQualitySearch = (query: RawSearch): QualitySearch =>
  compact({
    repo: parseRepositoryName(query['repo']),
    milestone: parseLabel(query['milestone']),
    type: parseChoice(Object.keys(evidenceKinds) as Kind[], query['type']),
    environment: parseLabel(query['environment']),
    open: parseLabel(query['open']),
    ...parsePage(query),
  });

const parseRepositoryName = (value: unknown): string | undefined => {
  const name = parseLabel(value);
  return name !== undefined && /^[\w.-]+$/.test(name) ? name : undefined;
};

/** The filters without page and opened release. */
export const toQualityFilters = ({ repo, milestone, type, environment }: QualityFilters) =>
  compact({ repo, milestone, type, environment });
