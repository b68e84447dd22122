import { compact, parseDay, parsePage, parseText, type PageSearch, type RawSearch } from '../../api/search-params.js';

/** The filters of the log and of its exports. */
export interface AuditFilters {
  readonly q?: string | undefined;
  /** A code. The list of all codes is loaded with the screen, which ignores others. */
  readonly action?: string | undefined;
  /** A login, or "service". */
  readonly actor?: string | undefined;
  /** The first day, in UTC. */
  readonly from?: string | undefined;
  /** The last day, in UTC. */
  readonly to?: string | undefined;
}

export interface AuditSearch extends AuditFilters, PageSearch {}

const ACTION = /^[a-z_]{1,50}\.[a-z_]{1,50}$/;
const LOGIN = /^[\w.[\]-]{1,100}$/;

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseAuditSearch = (query: RawSearch): AuditSearch =>
  compact({
    q: parseText(query['q']),
    action: parsePattern(ACTION, query['action']),
    actor: parsePattern(LOGIN, query['actor']),
    from: parseDay(query['from']),
    to: parseDay(query['to']),
    ...parsePage(query),
  });

const parsePattern = (pattern: RegExp, value: unknown): string | undefined => {
  const text = parseText(value);
  return text !== undefined && pattern.test(text) ? text : undefined;
};
