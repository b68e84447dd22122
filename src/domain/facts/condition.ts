import type { Condition } from '../release/stage.js';

/** Builds the condition for a fact that was never read from GitHub. `why` is a separate sentence. */
export const missingFactCondition = (what: string, why?: string): Condition => ({
  code: 'unknown',
  detail: why === undefined ? `Not known yet: ${what}.` : `Not known yet: ${what}. ${why}`,
  actor: 'service',
});
