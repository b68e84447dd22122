import type { DeploymentFact, Sha } from '../facts/facts.js';
import { isCalendarDay } from '../policy/freeze.js';
import { isSameEnvironment } from '../policy/policy.js';

/** A range of days, both included. Days are UTC as `YYYY-MM-DD`. Null leaves the end open. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the problem of the range in one sentence. Null if it is valid. */
export function validateDayRange({ from, to }: DayRange): string | null {
  if (from !== null && !isCalendarDay(from)) return 'from must be a day that exists, as YYYY-MM-DD.';
  if (to !== null && !isCalendarDay(to)) return 'to must be a day that exists, as YYYY-MM-DD.';
  // Days with four-digit years sort like their texts.
  return from !== null && to !== null && from > to ? 'from must not be after to.' : null;
}

/** The decision of a release that was in effect when a deployment began, and whether it opened the gate. */
interface DecisionInEffect {
  readonly id: string;
  readonly open: boolean;
}

/** A release at the time of a successful deployment. */
export interface DeployedRelease {
  readonly hotfix: boolean;
  readonly shippedAt: Date | null;
  /** A later release was deployed already when this deployment began. */
  readonly superseded: boolean;
  /** The last decision before the deployment began. Null if there was none. */
  readonly decision: DecisionInEffect | null;
  /** A freeze was active when the deployment began. */
  readonly frozen: boolean;
}

/** The kinds of the deployments that are recorded. */
export const DEPLOYMENT_RECORD_KINDS = ['release', 'hotfix', 'rollback', 'ungoverned'] as const;

export type DeploymentRecordKind = (typeof DEPLOYMENT_RECORD_KINDS)[number];

/** Who reported a recorded deployment: GitHub, a CI run with its identity token, an API key, or an admin by hand. */
export const DEPLOYMENT_SOURCES = ['github', 'run', 'api_key', 'manual'] as const;

export type DeploymentSource = (typeof DEPLOYMENT_SOURCES)[number];

/** The kind of a deployment. `again` ships nothing new and is not recorded: the running commit was deployed once more. */
export type DeploymentKind = DeploymentRecordKind | 'again';

/**
 * Classifies a successful deployment to the target. A commit ships only if its gate was open when the deployment began.
 * A deployment of no candidate, or of a candidate with a closed gate, bypassed the service.
 */
export function deploymentKind(release: DeployedRelease | null): DeploymentKind {
  if (!release) return 'ungoverned';
  if (release.shippedAt) return release.superseded ? 'rollback' : 'again';
  if (!release.decision?.open || release.frozen) return 'ungoverned';
  return release.hotfix ? 'hotfix' : 'release';
}

/** A deployment to the target of the policy. */
export const isDeployedToTarget = ({ state, environment, succeededAt }: DeploymentFact, target: string): boolean =>
  isSameEnvironment(environment, target) && succeededAt !== null && (state === 'success' || state === 'inactive');

/**
 * Returns the time from the start of the work on a release to its deployment, in whole seconds. Never negative,
 * although clocks may differ.
 */
export const leadTimeSeconds = (startedAt: Date, deployedAt: Date): number =>
  Math.max(0, Math.round((deployedAt.getTime() - startedAt.getTime()) / 1000));

/** The gate of a release from one moment until the next entry. */
export interface GateConfirmation {
  readonly decisionId: string;
  readonly candidateSha: Sha | null;
  readonly at: Date;
  /** The time until which the gate is open if no other entry follows. Null if it is closed. */
  readonly openUntil: Date | null;
}

/** A moment of the service's clock that is known only as a range. */
export interface Moment {
  readonly earliest: Date;
  readonly latest: Date;
}

/**
 * Returns whether the gate was open for a candidate at a moment. If the moment is a range, the gate counts as closed if
 * it closed within the range, and otherwise as it was at the end of the range. The entries must be those in effect
 * during the range, oldest first.
 */
export function wasGateOpen(
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
