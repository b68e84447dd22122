import type { Sha } from '../facts/facts.js';
import type { Freeze } from '../policy/policy.js';
import type { Condition, Subject } from '../facts/condition.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';

/** A user with the login at the time of the action. */
export interface UserRef {
  /** The numeric GitHub user id. It survives a rename. */
  readonly id: number;
  readonly login: string;
}

/** A request of one admin that has no effect before another admin confirms it. */
export interface OverrideRequest {
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: UserRef;
  /** Null until an admin has confirmed it. */
  readonly confirmedBy: UserRef | null;
  readonly confirmedAt: Date | null;
  /** The deadline for the confirmation. After the confirmation, the end of the override. */
  readonly expiresAt: Date;
}

/** An override that a second admin has confirmed. */
export type ConfirmedOverride<A extends OverrideRequest> = A & {
  readonly confirmedBy: UserRef;
  readonly confirmedAt: Date;
};

/** Returns whether the override is active: confirmed by a second admin and not expired. */
export const isActive = <A extends OverrideRequest>(override: A, now: Date): override is ConfirmedOverride<A> =>
  override.confirmedBy !== null &&
  override.confirmedAt !== null &&
  override.confirmedBy.id !== override.requestedBy.id &&
  // Compared so that an invalid date makes no override active.
  override.confirmedAt.getTime() <= now.getTime() &&
  now.getTime() < override.expiresAt.getTime();

/**
 * Returns the next start or end of a confirmed override, in milliseconds since the epoch. Infinity if there is none.
 */
export const nextBoundary = (overrides: readonly OverrideRequest[], now: Date): number =>
  Math.min(
    ...overrides
      .flatMap(({ confirmedAt, expiresAt }) => (confirmedAt ? [confirmedAt.getTime(), expiresAt.getTime()] : []))
      .filter((at) => at > now.getTime()),
  );

/** Returns why a user may not confirm it now. Null if the user may. */
export function confirmationProblem(
  { requestedBy, confirmedBy, expiresAt }: OverrideRequest,
  by: UserRef,
  now: Date,
): 'own' | 'confirmed' | 'expired' | null {
  if (by.id === requestedBy.id) return 'own';
  if (confirmedBy !== null) return 'confirmed';
  return now.getTime() < expiresAt.getTime() ? null : 'expired';
}

const HOUR_MS = 3_600_000;

/** The maximum lifetime of a waiver, from its request, in milliseconds. */
export const WAIVER_MAX_DURATION_MS = 7 * 24 * HOUR_MS;

/** How long a break-glass request waits for its confirmation, and how long it is active after that, in milliseconds. */
export const BREAK_GLASS_DURATION_MS = 4 * HOUR_MS;

/**
 * Waives the conditions of one candidate with one code, for the subjects at the time of the request. Subjects that are not among
 * them are not waived, because no admin has seen them.
 */
export interface Waiver extends OverrideRequest {
  /** The condition code. */
  readonly condition: ConditionCode;
  /** The subjects of the unmet conditions with this code. */
  readonly subjects: readonly Subject[];
  readonly candidateSha: Sha;
}

/** Opens the gate for one commit while it is the candidate. */
export interface BreakGlass extends OverrideRequest {
  readonly sha: Sha;
}

/** The decisions of admins that affect a release. */
export interface ReleaseOverrides {
  /** The freezes of the whole workspace. */
  readonly freezes: readonly Freeze[];
  readonly waivers: readonly Waiver[];
  readonly breakGlasses: readonly BreakGlass[];
}

export const NO_OVERRIDES: ReleaseOverrides = { freezes: [], waivers: [], breakGlasses: [] };

/** An override that a verdict used, with the conditions that it covers. */
export interface AppliedOverride {
  readonly kind: 'waiver' | 'break_glass';
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: UserRef;
  readonly confirmedBy: UserRef;
  readonly expiresAt: Date;
  readonly conditions: readonly Condition[];
}
