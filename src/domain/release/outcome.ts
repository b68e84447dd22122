import type { Verdict } from './evaluate.js';
import type { Condition, Stage } from './stage.js';

/** What a person has to know of an active release at a glance; the first that holds, so that each has exactly one. */
export const OUTCOMES = ['blocked', 'needs_approval', 'ready_to_deploy', 'in_progress'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What an outcome is told from. */
export interface OutcomeInput {
  readonly stage: Stage;
  /** Something stands in the way that does not pass by itself. */
  readonly blocked: boolean;
  /** A freeze of deployments holds at this moment; it keeps back no release whose gate is open, for which it is waived. */
  readonly frozen: boolean;
  /** Until when its gate stands open, by facts that are fresh until then and by no freeze before; null is closed. */
  readonly readyUntil: Date | number | null;
  readonly now: Date;
}

export function releaseOutcome({ stage, blocked, frozen, readyUntil, now }: OutcomeInput): Outcome {
  const isOpen = readyUntil !== null && Number(readyUntil) > now.getTime();
  if (blocked || (frozen && !isOpen)) return 'blocked';
  if (stage === 'EVIDENCING') return 'needs_approval';
  return isOpen ? 'ready_to_deploy' : 'in_progress';
}

/** Conditions that wait for nothing: somebody has to put something right before the release can go on. */
const BLOCKING: ReadonlySet<string> = new Set([
  'cancelled',
  'changes_requested',
  'check_failing',
  'check_skipped',
  'evidence_failing',
  'evidence_pull_altered',
  'evidence_pull_closed',
  'freeze',
  'milestone_renamed',
  'no_development_branch',
  'no_reviewer_left',
  'plan_limit',
  'policy_invalid',
  'policy_missing',
  'policy_unknown',
  'quality_gate_failing',
  'repository_removed',
  'tampered',
  'too_few_tests',
  'two_release_branches',
]);

/** Whether a condition blocks, or is merely not met yet. */
export const isBlocking = (code: string): boolean => BLOCKING.has(code);

/** How many of its unmet conditions a list shows of a release; of the rest it tells how many there are. */
export const MAX_LISTED_BLOCKERS = 5;

/** What is kept of a verdict for the lists: nothing of it changes with time alone. */
export interface VerdictSummary {
  readonly blocked: boolean;
  /** A fact that it rests on was never read. */
  readonly unread: boolean;
  /** What keeps the gate closed, what blocks first. */
  readonly blockers: readonly Condition[];
}

/** Conditions that come and go with time: whoever reads a release compares that with now. */
const PASSING: ReadonlySet<string> = new Set(['freeze', 'facts_stale']);

/** What the lists are told of a verdict. */
export function summarizeVerdict({ gate, missing }: Pick<Verdict, 'gate' | 'missing'>): VerdictSummary {
  // A policy that was not read yet is no invalid one: reading it is under way.
  const policyUnread = missing.some(({ kind }) => kind === 'policy');
  const blocks = ({ code }: Condition): boolean => isBlocking(code) && !(code === 'policy_unknown' && policyUnread);
  const lasting = gate.reasons.filter(({ code }) => !PASSING.has(code));
  const blocking = lasting.filter(blocks);
  return {
    blocked: blocking.length > 0,
    unread: missing.length > 0,
    blockers: [...blocking, ...lasting.filter((condition) => !blocks(condition))],
  };
}

/**
 * Whether what is stored lets a release be deployed. `ready`: it may be, and only this counts. `not_ready`: it may not be.
 * `pending`: it is being thought over. `unknown`: a fact could not be read. `expired`: its facts are too old to rest on.
 */
export const READINESS_STATUSES = ['ready', 'not_ready', 'pending', 'unknown', 'expired'] as const;
export type ReadinessStatus = (typeof READINESS_STATUSES)[number];

/** What readiness is told from. */
export interface ReadinessQuestion {
  /** Null before its first verdict. */
  readonly evaluatedAt: Date | null;
  /** A fact that the verdict rests on was never read. */
  readonly unread: boolean;
  /** Until when the verdict holds; the distant past where a fact of it is known to have changed. */
  readonly validUntil: Date | number;
  /** Until when its gate stands open, by facts that are fresh until then and by no freeze before; null is closed. */
  readonly readyUntil: Date | number | null;
  readonly now: Date;
}

export function releaseReadiness(question: ReadinessQuestion): ReadinessStatus {
  const { evaluatedAt, unread, validUntil, readyUntil, now } = question;
  if (evaluatedAt === null) return 'pending';
  if (unread) return 'unknown';
  if (Number(validUntil) === Number.NEGATIVE_INFINITY) return 'pending';
  if (Number(validUntil) <= now.getTime()) return 'expired';
  return readyUntil !== null && Number(readyUntil) > now.getTime() ? 'ready' : 'not_ready';
}
