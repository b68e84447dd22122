import type { Sha } from '../facts/facts.js';

/** How a release's gate stood from a moment on, until the next such note. */
export interface GateConfirmation {
  readonly decisionId: string;
  readonly candidateSha: Sha | null;
  readonly at: Date;
  /** Until when the gate stands open if nothing else is noted; null is closed. */
  readonly openUntil: Date | null;
}

/** A moment of our clock that is known to lie between two: at the earliest, and before the latest. */
export interface Moment {
  readonly earliest: Date;
  readonly latest: Date;
}

/**
 * Whether the gate stood open for a candidate at a moment. Where the clocks leave an interval, it is taken as it stood at
 * the interval's end, and a closing within it counts: what opened before the end may have let the deployment go, and what
 * closed may not have. The notes are those that held at some time of it, in the order in which they were made.
 */
export function stoodOpen(
  notes: readonly GateConfirmation[],
  candidateSha: Sha,
  { earliest, latest }: Moment,
): boolean {
  let open = false;
  for (const [index, { candidateSha: of, at, openUntil }] of notes.entries()) {
    const opens = openUntil !== null && of === candidateSha;
    const changesWithin = at > earliest && at < latest;
    if (open && !opens && changesWithin) return false;
    open = opens;
    if (!opens) continue;
    const next = notes[index + 1]?.at ?? latest;
    if (openUntil >= next) continue;
    if (openUntil > earliest) return false;
    open = false;
  }
  return open;
}
