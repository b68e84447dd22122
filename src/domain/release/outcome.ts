import type { Verdict } from './evaluate.js';
import type { Condition, Stage } from '../facts/condition.js';
import { getTraits } from '../facts/condition-catalogue.js';

/** The list statuses of an active release. A release has the first outcome whose condition holds. */
export const OUTCOMES = ['blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The values from which the outcome of a release is derived. */
export interface OutcomeInput {
  readonly stage: Stage;
  /** A condition blocks the release until a user acts. */
  readonly blocked: boolean;
  /**
   * A freeze is active now. It does not block a release with an open gate, because the freeze is waived for that
   * release.
   */
  readonly frozen: boolean;
  /** The time until which the gate is open: the next end of a fact's lifetime or start of a freeze. Null if it is closed. */
  readonly readyUntil: Date | number | null;
  readonly now: Date;
}

export function releaseOutcome({ stage, blocked, frozen, readyUntil, now }: OutcomeInput): Outcome {
  const isOpen = readyUntil !== null && Number(readyUntil) > now.getTime();
  if (blocked || (frozen && !isOpen)) return 'blocked';
  if (stage === 'EVIDENCING') return 'needs_approval';
  return isOpen ? 'ready_to_deploy' : 'in_progress';
}

/** The maximum number of unmet conditions per release in a list. The list also contains the total number. */
export const MAX_LISTED_BLOCKERS = 5;

/** The orders of the active releases. `urgency`: blocked ones first, then those that are due first. */
export const RELEASE_ORDERS = ['updated', 'urgency', 'due', 'repository'] as const;
export type ReleaseOrder = (typeof RELEASE_ORDERS)[number];

const DAY_MS = 86_400_000;

/** Returns whether the due day is over. Days are UTC. */
export const isOverdue = (dueOn: Date | null, now: Date): boolean =>
  dueOn !== null && Math.floor(dueOn.getTime() / DAY_MS) < Math.floor(now.getTime() / DAY_MS);

/** The part of a verdict that is stored for lists. It does not change with time alone. */
export interface VerdictSummary {
  readonly blocked: boolean;
  /** At least one fact that the verdict needs was never read. */
  readonly unread: boolean;
  /** The gate reasons with their subjects. Blocking conditions come first. */
  readonly blockers: readonly Condition[];
}

/** Builds the summary of a verdict for lists. */
export function summarizeVerdict({ gate, missing }: Pick<Verdict, 'gate' | 'missing'>): VerdictSummary {
  // A policy that was never read is not an invalid policy. A job is going to read it.
  const policyUnread = missing.some(({ kind }) => kind === 'policy');
  const blocks = ({ code }: Condition): boolean =>
    getTraits(code).isBlocking && !(code === 'policy_unknown' && policyUnread);
  const lasting = gate.reasons.filter(({ code }) => getTraits(code).isTimeDependent !== true);
  const blocking = lasting.filter(blocks);
  return {
    blocked: blocking.length > 0,
    unread: missing.length > 0,
    blockers: [...blocking, ...lasting.filter((condition) => !blocks(condition))],
  };
}

/**
 * The stored answer of the gate for lists. `ready`: the release may be deployed. `not_ready`: it may not be deployed.
 * `pending`: the evaluation is queued. `unknown`: a fact was never read. `expired`: the facts are stale.
 */
export const READINESS_STATUSES = ['ready', 'not_ready', 'pending', 'unknown', 'expired'] as const;
export type ReadinessStatus = (typeof READINESS_STATUSES)[number];

/** The values from which the readiness of a release is derived. */
export interface ReadinessInput {
  /** Null before its first verdict. */
  readonly evaluatedAt: Date | null;
  /** A fact that the verdict needs was never read. */
  readonly unread: boolean;
  /** The time until which the verdict is valid. Negative infinity if a fact of the verdict has changed. */
  readonly validUntil: Date | number;
  /** The time until which the gate is open: the next end of a fact's lifetime or start of a freeze. Null if it is closed. */
  readonly readyUntil: Date | number | null;
  readonly now: Date;
}

/** Returns when the readiness changes with time alone, at the latest. Null if the verdict is not valid at all. */
export function readinessValidUntil({
  validUntil,
  readyUntil,
}: Pick<ReadinessInput, 'validUntil' | 'readyUntil'>): Date | null {
  const until = Math.min(Number(validUntil), readyUntil === null ? Number.POSITIVE_INFINITY : Number(readyUntil));
  return Number.isFinite(until) ? new Date(until) : null;
}

export function releaseReadiness(input: ReadinessInput): ReadinessStatus {
  const { evaluatedAt, unread, validUntil, readyUntil, now } = input;
  if (evaluatedAt === null) return 'pending';
  if (unread) return 'unknown';
  if (Number(validUntil) === Number.NEGATIVE_INFINITY) return 'pending';
  if (Number(validUntil) <= now.getTime()) return 'expired';
  return readyUntil !== null && Number(readyUntil) > now.getTime() ? 'ready' : 'not_ready';
}

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
