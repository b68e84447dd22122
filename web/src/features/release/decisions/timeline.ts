import type { Schema } from '../../../api/client.js';

type Decision = Schema<'Decision'>;
type Transition = Schema<'StageTransition'>;

/** A decision or a change of stage. */
export type TimelineEntry =
  | { readonly kind: 'decision'; readonly at: string; readonly decision: Decision }
  | { readonly kind: 'transition'; readonly at: string; readonly transition: Transition };

/**
 * Joins decisions, newest first, with the changes of stage. Changes that are older than all of these decisions are left out if older
 * decisions exist that are not loaded. A decision stands above the change of stage of the same time.
 */
export function joinTimeline(
  decisions: readonly Decision[],
  transitions: readonly Transition[],
  hasOlder: boolean,
): readonly TimelineEntry[] {
  const oldest = Date.parse(decisions.at(-1)?.at ?? '');
  const entries: readonly TimelineEntry[] = [
    // A decision that arrives while pages are loaded moves others to the next page.
    ...[...new Map(decisions.map((decision) => [decision.id, decision])).values()].map((decision) => ({
      kind: 'decision' as const,
      at: decision.at,
      decision,
    })),
    ...transitions
      .filter(({ at }) => !hasOlder || Date.parse(at) >= oldest)
      .map((transition) => ({ kind: 'transition' as const, at: transition.at, transition })),
  ];
  return entries.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
