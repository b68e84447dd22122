import type { Condition } from './stage.js';

/** What was never read from the host closes what depends on it. */
export const unread = (what: string): Condition => ({
  code: 'unknown',
  detail: `Not known yet: ${what}.`,
  actor: 'service',
});
