import type { DeploymentFact, Sha } from '../facts/facts.js';
import { isCalendarDay } from '../policy/freeze.js';

/** Days in UTC as `YYYY-MM-DD`, both included; null leaves that end open. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** What is wrong with the days, in one sentence; null where nothing is. */
export function validateDayRange({ from, to }: DayRange): string | null {
  if (from !== null && !isCalendarDay(from)) return 'from must be a day that exists, as YYYY-MM-DD.';
  if (to !== null && !isCalendarDay(to)) return 'to must be a day that exists, as YYYY-MM-DD.';
  // Days with years of four digits are ordered as their texts are.
  return from !== null && to !== null && from > to ? 'from must not be after to.' : null;
}

/** The decision that held for a release when a deployment began, and whether its gate was open by it. */
interface StandingDecision {
  readonly id: string;
  readonly open: boolean;
}

/** A release as a successful deployment finds it. */
export interface DeployedRelease {
  readonly hotfix: boolean;
  readonly shippedAt: Date | null;
  /** A release that was deployed after it had been when this deployment began. */
  readonly superseded: boolean;
  /** The last decision of the time when the deployment began; null where there was none. */
  readonly decision: StandingDecision | null;
  /** A freeze held when the deployment began. */
  readonly frozen: boolean;
}

/** `again` ships nothing new: the commit that runs already was deployed once more. */
export type DeploymentKind = 'release' | 'hotfix' | 'rollback' | 'again' | 'ungoverned';

/**
 * Classifies a successful deployment to the target. Only a commit for which the gate stood open when the deployment began
 * ships; the candidate of no release, or of one whose gate was closed, went past the service.
 */
export function deploymentKind(release: DeployedRelease | null): DeploymentKind {
  if (!release) return 'ungoverned';
  if (release.shippedAt) return release.superseded ? 'rollback' : 'again';
  if (!release.decision?.open || release.frozen) return 'ungoverned';
  return release.hotfix ? 'hotfix' : 'release';
}

/** Whether two names are of one environment: GitHub compares them without regard to case ("Managing environments for deployment"). */
export const isSameEnvironment = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A deployment that reached what the policy calls the target. */
export const isDeployedToTarget = ({ state, environment, succeededAt }: DeploymentFact, target: string): boolean =>
  isSameEnvironment(environment, target) && succeededAt !== null && (state === 'success' || state === 'inactive');

/** From when work on a release began to its deployment, in whole seconds; never below zero, as clocks may differ. */
export const leadTimeSeconds = (startedAt: Date, deployedAt: Date): number =>
  Math.max(0, Math.round((deployedAt.getTime() - startedAt.getTime()) / 1000));

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
