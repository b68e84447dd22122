import { type Outcome, OUTCOMES } from '../release/outcome.js';

/**
 * Returns the form in which texts of users are compared and searched. It ignores the case and the composition of
 * accents (Unicode Standard Annex #15, form C).
 */
export const normalizeForSearch = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** The outcomes from worst to best: those that need a user first, `ready_to_deploy` last. */
const WORST_FIRST: readonly Outcome[] = ['blocked', 'needs_approval', 'in_progress', 'ready_to_deploy'];

/** Returns the worst of several outcomes. It is `ready_to_deploy` only if all of them are. Null if there are none. */
export const worstOutcome = (outcomes: readonly Outcome[]): Outcome | null =>
  WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? null;

/** The total number, and the number per kind. */
export function countOutcomes(outcomes: readonly Outcome[]): Readonly<Record<'all' | Outcome, number>> {
  const counts = { all: outcomes.length, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 };
  for (const kind of OUTCOMES) counts[kind] = outcomes.filter((outcome) => outcome === kind).length;
  return counts;
}
