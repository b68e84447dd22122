import { text } from '../../texts/en/audit.js';
import {
  compact,
  parseDay,
  parseChoice,
  parsePage,
  parseText,
  type PageSearch,
  type RawSearch,
} from '../../api/search-params.js';

type Action = keyof typeof text.actions;

export const ACTIONS = Object.keys(text.actions) as Action[];

/** The filters of the log and of its exports. */
export interface AuditFilters {
  readonly q?: string | undefined;
  readonly action?: Action | undefined;
  /** A login, or "service". */
  readonly actor?: string | undefined;
  /** The first day, in UTC. */
  readonly from?: string | undefined;
  /** The last day, in UTC. */
  readonly to?: string | undefined;
}

export interface AuditSearch extends AuditFilters, PageSearch {}

const LOGIN = /^[\w.[\]-]{1,100}$/;

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseAuditSearch = (query: RawSearch): AuditSearch =>
  compact({
    q: parseText(query['q']),
    action: parseChoice(ACTIONS, query['action']),
    actor: parseActor(query['actor']),
    from: parseDay(query['from']),
    to: parseDay(query['to']),
    ...parsePage(query),
  });

const parseActor = (value: unknown): string | undefined => {
  const actor = parseText(value);
  return actor !== undefined && LOGIN.test(actor) ? actor : undefined;
};

/** The filters as the parameters of the API, without those that are not set. */
export const toAuditParameters = ({ q, action, actor, from, to }: AuditFilters) =>
  compact({ search: q, action, actor, from, to });
