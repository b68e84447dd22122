import type { Sha } from '../facts/facts.js';
import type { Freeze } from '../policy/policy.js';
import type { Condition } from '../release/stage.js';
import type { ActingPerson, TwoPersonAct } from './two-person-act.js';

const HOUR_MS = 3_600_000;

/** How long a waiver holds at most, from its request on. */
export const WAIVER_LIFE_MS = 7 * 24 * HOUR_MS;

/** How long a request for break-glass waits for its confirmation, and how long the glass is broken from then on. */
export const BREAK_GLASS_LIFE_MS = 4 * HOUR_MS;

/**
 * Sets one condition of one candidate aside, as it stood when the waiver was asked for: what is unmet since then was
 * seen by nobody who agreed to it.
 */
export interface Waiver extends TwoPersonAct {
  /** The condition's code. */
  readonly condition: string;
  /** The sentences of the conditions with that code that were unmet. */
  readonly details: readonly string[];
  readonly candidateSha: Sha;
}

/** Opens the gate for one commit as long as that is the candidate. */
export interface BreakGlass extends TwoPersonAct {
  readonly sha: Sha;
}

/** What admins decided that concerns a release. */
export interface AdminActs {
  /** Those of the whole workspace. */
  readonly freezes: readonly Freeze[];
  readonly waivers: readonly Waiver[];
  readonly breakGlasses: readonly BreakGlass[];
}

export const NO_ACTS: AdminActs = { freezes: [], waivers: [], breakGlasses: [] };

/** An override that a verdict makes use of, and what it sets aside. */
export interface UsedOverride {
  readonly kind: 'waiver' | 'break_glass';
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: ActingPerson;
  readonly confirmedBy: ActingPerson;
  readonly expiresAt: Date;
  readonly conditions: readonly Condition[];
}
