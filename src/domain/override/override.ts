import type { Sha } from '../facts/facts.js';
import type { Freeze } from '../policy/policy.js';
import type { Condition } from '../release/stage.js';

/** A person, under the login of the moment at which they acted. */
export interface UserRef {
  /** The numeric id on the code host: whoever is renamed is still the same. */
  readonly id: number;
  readonly login: string;
}

/** Something that one admin asks for and that means nothing before another one confirms it. */
export interface TwoPersonOverride {
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: UserRef;
  /** Null until somebody confirmed it. */
  readonly confirmedBy: UserRef | null;
  readonly confirmedAt: Date | null;
  /** Until when it may be confirmed, and once it is, until when it holds. */
  readonly expiresAt: Date;
}

/** One that a second person agreed to. */
export type ConfirmedOverride<A extends TwoPersonOverride> = A & {
  readonly confirmedBy: UserRef;
  readonly confirmedAt: Date;
};

/** Whether it holds at this moment: confirmed by a second person, and not over yet. */
export const isActive = <A extends TwoPersonOverride>(act: A, now: Date): act is ConfirmedOverride<A> =>
  act.confirmedBy !== null &&
  act.confirmedAt !== null &&
  act.confirmedBy.id !== act.requestedBy.id &&
  // Asked the way round in which a moment that is none holds nothing.
  act.confirmedAt.getTime() <= now.getTime() &&
  now.getTime() < act.expiresAt.getTime();

/** The next moment at which one of them comes into force or ends, in milliseconds since the epoch; Infinity where none does. */
export const nextBoundary = (acts: readonly TwoPersonOverride[], now: Date): number =>
  Math.min(
    ...acts
      .flatMap(({ confirmedAt, expiresAt }) => (confirmedAt ? [confirmedAt.getTime(), expiresAt.getTime()] : []))
      .filter((at) => at > now.getTime()),
  );

/** Why a person may not confirm it now, or null. */
export function confirmationProblem(
  { requestedBy, confirmedBy, expiresAt }: TwoPersonOverride,
  by: UserRef,
  now: Date,
): 'own' | 'confirmed' | 'expired' | null {
  if (by.id === requestedBy.id) return 'own';
  if (confirmedBy !== null) return 'confirmed';
  return now.getTime() < expiresAt.getTime() ? null : 'expired';
}

const HOUR_MS = 3_600_000;

/** How long a waiver holds at most, from its request on. */
export const WAIVER_MAX_DURATION_MS = 7 * 24 * HOUR_MS;

/** How long a request for break-glass waits for its confirmation, and how long the glass is broken from then on. */
export const BREAK_GLASS_DURATION_MS = 4 * HOUR_MS;

/**
 * Sets one condition of one candidate aside, as it stood when the waiver was asked for: what is unmet since then was
 * seen by nobody who agreed to it.
 */
export interface Waiver extends TwoPersonOverride {
  /** The condition's code. */
  readonly condition: string;
  /** The sentences of the conditions with that code that were unmet. */
  readonly details: readonly string[];
  readonly candidateSha: Sha;
}

/** Opens the gate for one commit as long as that is the candidate. */
export interface BreakGlass extends TwoPersonOverride {
  readonly sha: Sha;
}

/** What admins decided that concerns a release. */
export interface ReleaseOverrides {
  /** Those of the whole workspace. */
  readonly freezes: readonly Freeze[];
  readonly waivers: readonly Waiver[];
  readonly breakGlasses: readonly BreakGlass[];
}

export const NO_OVERRIDES: ReleaseOverrides = { freezes: [], waivers: [], breakGlasses: [] };

/** An override that a verdict makes use of, and what it sets aside. */
export interface AppliedOverride {
  readonly kind: 'waiver' | 'break_glass';
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: UserRef;
  readonly confirmedBy: UserRef;
  readonly expiresAt: Date;
  readonly conditions: readonly Condition[];
}
