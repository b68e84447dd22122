import type { Condition } from '../release/stage.js';

/** What was never read from the host closes what depends on it; `why` is a sentence of its own. */
export const missingFactCondition = (what: string, why?: string): Condition => ({
  code: 'unknown',
  detail: why === undefined ? `Not known yet: ${what}.` : `Not known yet: ${what}. ${why}`,
  actor: 'service',
});
