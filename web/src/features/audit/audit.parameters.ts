import { compact, parseChoice } from '../../api/search-params.js';
import { text } from '../../texts/en/audit.js';
import type { AuditFilters } from './audit.search.js';

/** All actions. They are loaded with the screen, and not with the first one as the filters of the URL are. */
export const ACTIONS = Object.keys(text.actions) as (keyof typeof text.actions)[];

/** The filters as the parameters of the API, without those that are not set and an action that does not exist. */
export const toAuditParameters = ({ q, action, actor, from, to }: AuditFilters) =>
  compact({ search: q, action: parseChoice(ACTIONS, action), actor, from, to });
