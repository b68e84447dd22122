import { type DeployedRelease, type DeploymentKind, deploymentKind } from './deployment.js';

/** What a CI system reports about a deployment. Every status but `started` ends it. */
export const REPORTED_STATUSES = ['started', 'succeeded', 'failed', 'cancelled'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** The state of a reported deployment. `unknown`: its end was not reported in time. */
export const REPORTED_STATES = [...REPORTED_STATUSES, 'unknown'] as const;
export type ReportedState = (typeof REPORTED_STATES)[number];

/** How long a deployment may take until its end counts as unknown, in milliseconds. */
export const LONGEST_DEPLOYMENT_MS = 86_400_000;

/** The number of deployments to one environment of a repository that may run at once. */
export const MAX_OPEN_DEPLOYMENTS = 10;

/** The gate when a deployment started. */
export interface ReportedStart {
  /** When the report arrived, by the clock of the service. */
  readonly at: Date;
  /** The environment was the target of the policy. */
  readonly atTarget: boolean;
  /** The gate of the environment was open for the commit, and the caller got this answer. */
  readonly canDeploy: boolean;
  readonly releaseId: string | null;
  readonly decisionId: string | null;
}

/** The end of a deployment. */
interface ReportedEnd {
  readonly status: Exclude<ReportedStatus, 'started'>;
  readonly at: Date;
}

/** When a deployment started and ended. */
export interface ReportTimes {
  /** Null if the end was reported without a start. A start that is reported after the end does not count. */
  readonly start: Pick<ReportedStart, 'at'> | null;
  /** Null while no end was reported. */
  readonly end: ReportedEnd | null;
  /** When the service ended it without a report. Null if it did not. */
  readonly lostAt: Date | null;
}

/** What was reported about a deployment. */
export interface DeploymentReports extends ReportTimes {
  readonly start: ReportedStart | null;
  /** `hasOtherBytes`: the report names a digest that the policy does not accept, so the deployed bytes are not those of the commit. */
  readonly end: (ReportedEnd & { readonly hasOtherBytes: boolean }) | null;
}

/** Returns the time from which on an end does not count; null if an end counts at any time. */
export function endOfWait({ start, lostAt }: ReportTimes): Date | null {
  if (lostAt) return lostAt;
  return start && new Date(start.at.getTime() + LONGEST_DEPLOYMENT_MS);
}

/** Whether its end is still expected. */
export function isOpen(reports: ReportTimes, now: Date): boolean {
  return reports.start !== null && reports.end === null && !isLost(reports, now);
}

const isLost = (reports: ReportTimes, at: Date): boolean => {
  const until = endOfWait(reports);
  return until !== null && until <= at;
};

/** Returns the state at a time. An end that was reported too late is shown, although it ships nothing. */
export function reportedState(reports: ReportTimes, now: Date): ReportedState {
  if (reports.end) return reports.end.status;
  return isOpen(reports, now) ? 'started' : 'unknown';
}

/** What a report does: it adds something, or repeats what is known, or contradicts it. */
export type ReportEffect = 'new' | 'repetition' | 'contradiction';

/** Compares a report with those before it. Null means that it is the first one. */
export function reportEffect(reports: ReportTimes | null, status: ReportedStatus): ReportEffect {
  if (reports === null) return 'new';
  if (status === 'started') return 'repetition';
  if (reports.end === null) return 'new';
  return reports.end.status === status ? 'repetition' : 'contradiction';
}

/**
 * Returns the start that counts for a deployment that ended: none if it was not reported, and none if the end came too late or names other
 * bytes than those of the commit. Without a start nothing is shipped.
 */
export function countingStart(reports: DeploymentReports): ReportedStart | null {
  const { start, end } = reports;
  return end !== null && (isLost(reports, end.at) || end.hasOtherBytes) ? null : start;
}

/** The release of a start whose gate was open at the target. Only such a start ships a release. */
export function shippingDecision(
  start: Omit<ReportedStart, 'at'> | null,
): { readonly releaseId: string; readonly decisionId: string } | null {
  if (!start?.atTarget || !start.canDeploy || start.releaseId === null || start.decisionId === null) return null;
  return { releaseId: start.releaseId, decisionId: start.decisionId };
}

/**
 * Classifies a successful deployment that two sides know, or that has no start: it is governed only if `isProven`. A further deployment
 * of the running commit stays one, because it changes nothing.
 */
export function provenKind(release: DeployedRelease | null, isProven: boolean): DeploymentKind {
  const kind = deploymentKind(release);
  return isProven || kind === 'again' ? kind : 'ungoverned';
}

/**
 * Whether the reports prove that the deployment started, so that the same deployment at GitHub may be governed: the start counts and no
 * failure was reported. While its end is missing, the one of GitHub counts.
 */
export function isStartProven(reports: DeploymentReports, now: Date): boolean {
  if (reports.end === null) return isOpen(reports, now);
  return reports.end.status === 'succeeded' && countingStart(reports) !== null;
}

/**
 * Leaves out the failed ones of the deployments that one run names, if others are left: a failed one changed nothing, and the run was started
 * again. Callers keep one that a report names by its id, because it is that very deployment.
 */
export function withoutFailed<T>(ofRun: readonly T[], hasFailed: (one: T) => boolean): readonly T[] {
  const left = ofRun.filter((one) => !hasFailed(one));
  return left.length > 0 ? left : ofRun;
}
