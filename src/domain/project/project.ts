import { type Outcome, OUTCOMES } from '../release/outcome.js';

/**
 * The form in which what people wrote is compared and searched: in it neither case tells two texts apart, nor how their
 * accents are put together (Unicode Standard Annex #15, form C).
 */
export const normalizeForSearch = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** What needs a person's hand before what is on its way, and last what may be deployed. */
const WORST_FIRST: readonly Outcome[] = ['blocked', 'needs_approval', 'in_progress', 'ready_to_deploy'];

/** The worst of several outcomes, which is `ready_to_deploy` only where each of them is; null of none. */
export const worstOutcome = (outcomes: readonly Outcome[]): Outcome | null =>
  WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? null;

/** How many there are in all and of each kind. */
export function countOutcomes(outcomes: readonly Outcome[]): Readonly<Record<'all' | Outcome, number>> {
  const counts = { all: outcomes.length, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 };
  for (const kind of OUTCOMES) counts[kind] = outcomes.filter((outcome) => outcome === kind).length;
  return counts;
}
