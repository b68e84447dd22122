import { freezesAt } from '../policy/freeze.js';
import type { Freeze } from '../policy/policy.js';
import type { Condition } from './stage.js';

/** Each freeze that holds at this moment, once, whoever declared it. */
export const freezeConditions = (freezes: readonly Freeze[], now: Date): readonly Condition[] =>
  [...new Set(freezesAt(freezes, now).map(sentenceOf))].map((detail) => ({ code: 'freeze', detail, actor: 'admin' }));

/** A reason may end as a sentence does, and is then not ended a second time. */
const sentenceOf = ({ from, to, reason }: Freeze): string =>
  `Deployments are frozen from ${from} to ${to}: ${reason}${/[.!?…]$/u.test(reason) ? '' : '.'}`;
