import type { MomentRange, Observation, Sha } from '../facts/facts.js';
import { factExpiresAt } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { isSameEnvironment } from '../policy/policy.js';

/** A time during which a commit was an environment's latest successful deployment. It stays completed. */
export interface CompletedSoak {
  readonly environment: string;
  readonly commitSha: Sha;
  /** In milliseconds since the epoch, as `until`. */
  readonly from: number;
  readonly until: number;
}

/**
 * A reported deployment that changed what is deployed, or may have changed it: it succeeded, or its end is not known. Times are in
 * milliseconds since the epoch, by the clock of the service.
 */
export interface ReportedChange {
  readonly id: string;
  /** In lower case. */
  readonly environment: string;
  /** Null if the commit is not known. */
  readonly commitSha: Sha | null;
  /** When its start was reported. Null if it is no proof that its own commit is deployed: it only ends the soak of another commit. */
  readonly startedAt: number | null;
  /** When its success was reported, or since when its end counts as unknown. */
  readonly endedAt: number;
}

/** The number of reported changes of an environment that a verdict reads. Of more, the latest ones count. */
export const MAX_REPORTED_CHANGES = 30;

/** A time as a range of moments of our clock, and as GitHub's own time if GitHub told it, in milliseconds since the epoch. */
interface Instant {
  readonly range: MomentRange;
  readonly github: number | null;
}

/** A period in which a deployment was successful. `to` is null while it lasts. */
interface DeployedPeriod {
  /** The deployment. A later period of one deployment follows its earlier ones. */
  readonly deploymentId: string;
  /** Null if the commit is not known. */
  readonly sha: Sha | null;
  readonly from: Instant;
  readonly to: Instant | null;
}

/** An environment of the chain, and how long the candidate must stay there. */
export interface Soak {
  readonly environment: string;
  readonly soakMs: number;
}

export type SoakState =
  /** `isNew` if it is not stored yet. */
  | { readonly kind: 'completed'; readonly soak: CompletedSoak; readonly isNew: boolean }
  | { readonly kind: 'running'; readonly since: number; readonly endsAt: number }
  /** The soak has ended if nothing else was deployed before its end, which only a later read shows. */
  | { readonly kind: 'unproven'; readonly since: number; readonly endsAt: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

interface SoakInput {
  /** The candidate and its equivalent commits. */
  readonly candidate: { readonly sha: Sha; readonly shas: readonly Sha[] };
  readonly completed: readonly CompletedSoak[];
  /** The reported changes of all environments. At most `MAX_REPORTED_CHANGES` of each. */
  readonly reports: readonly ReportedChange[];
  readonly now: Date;
}

const ANY_TIME: MomentRange = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const MINUTE_MS = 60_000;

const isOneOf = (shas: readonly Sha[], sha: Sha | null): boolean => sha !== null && shas.includes(sha);

/** Returns the periods of the deployments of GitHub. A time that is not known may be any time. */
function toPeriods({ value, moments = {} }: Observation<'deployments'>): readonly DeployedPeriod[] {
  const toInstant = (time: string): Instant => ({
    range: (Object.hasOwn(moments, time) && moments[time]) || ANY_TIME,
    github: Date.parse(time),
  });
  return value.flatMap(({ githubId, sha, periods }) =>
    periods.map(({ from, to }) => ({
      deploymentId: `github:${githubId}`,
      sha,
      from: toInstant(from),
      to: to === null ? null : toInstant(to),
    })),
  );
}

/**
 * Returns the periods of the reported deployments to an environment. One succeeded at some time between the reports of its start and its
 * success. Without proof of its commit it may only have replaced another commit. Of a list that may have been cut, the oldest one
 * counts as an unknown commit, because it may have followed one.
 */
function toReportedPeriods(
  reports: readonly ReportedChange[],
  environment: string,
  shas: readonly Sha[],
): readonly DeployedPeriod[] {
  const changes = reports.filter((report) => isSameEnvironment(report.environment, environment));
  const oldest = Math.min(...changes.map(({ endedAt }) => endedAt));
  const isCut = ({ endedAt }: ReportedChange): boolean => changes.length >= MAX_REPORTED_CHANGES && endedAt === oldest;
  return changes
    .filter((change) => isCut(change) || change.startedAt !== null || !isOneOf(shas, change.commitSha))
    .map((change) => ({
      deploymentId: `reported:${change.id}`,
      sha: isCut(change) ? null : change.commitSha,
      from: { range: [change.startedAt ?? Number.NEGATIVE_INFINITY, change.endedAt], github: null },
      to: null,
    }));
}

/** Returns when the last change of the environment was reported, in milliseconds since the epoch. Negative infinity if none was. */
const lastReport = (reports: readonly ReportedChange[], environment: string): number =>
  Math.max(
    Number.NEGATIVE_INFINITY,
    ...reports.flatMap((one) => (isSameEnvironment(one.environment, environment) ? [one.endedAt] : [])),
  );

/** Whether one time is certainly before the other. Two times of GitHub are compared by its own clock, which tells whole seconds. */
const isBefore = (one: Instant, other: Instant): boolean =>
  one.github !== null && other.github !== null ? one.github < other.github : one.range[1] < other.range[0];

/** Whether one time is certainly not after the other. */
const isUntil = (one: Instant, other: Instant): boolean =>
  one.github !== null && other.github !== null ? one.github <= other.github : one.range[1] <= other.range[0];

/** Whether a period certainly began after the other one. The periods of one deployment are in order. */
const isLater = (one: DeployedPeriod, other: DeployedPeriod, periods: readonly DeployedPeriod[]): boolean =>
  one.deploymentId === other.deploymentId
    ? periods.indexOf(one) > periods.indexOf(other)
    : isBefore(other.from, one.from);

/**
 * Returns since when one of these commits is the latest successful deployment, in milliseconds since the epoch; null if none is.
 * Where two readings are possible, the worse one counts: another commit may have been deployed last, our commit late, and a deployment
 * that has ended may have been the latest one.
 */
function deployedSince(periods: readonly DeployedPeriod[], shas: readonly Sha[]): number | null {
  const isOurs = ({ sha }: DeployedPeriod): boolean => isOneOf(shas, sha);
  const others = periods.filter((period) => !isOurs(period));
  const all = periods.filter(isOurs);
  const latest = all.filter(({ from }) => others.every((other) => isBefore(other.from, from)));
  // A deployment that ends when a later one succeeds, or after that, leaves no gap.
  const absences = all.filter(
    (period) =>
      period.to !== null && !latest.some((next) => isLater(next, period, periods) && isUntil(next.from, period.to!)),
  );
  const starts = latest.filter((period) =>
    absences.every((absence) => absence !== period && isLater(period, absence, periods)),
  );
  return starts.length === 0 ? null : Math.min(...starts.map(({ from }) => from.range[1]));
}

/**
 * Evaluates one soak. A gap in what is known restarts it. Time alone does not complete it: only a read at its end or later shows
 * that the candidate stayed.
 */
export function evaluateSoak(
  { environment, soakMs }: Soak,
  { candidate, completed, reports, now }: SoakInput,
  facts: TrackedFacts,
): SoakState {
  const stored = completed.find(
    (one) =>
      isSameEnvironment(one.environment, environment) &&
      candidate.shas.includes(one.commitSha) &&
      one.until - one.from >= soakMs,
  );
  if (stored) return { kind: 'completed', soak: stored, isNew: false };
  const key = environment.toLowerCase();
  const known = facts.find('deployments', key);
  if (!known) return { kind: 'unknown' };
  const deployed = deployedSince(
    [...toPeriods(known), ...toReportedPeriods(reports, environment, candidate.shas)],
    candidate.shas,
  );
  if (deployed === null) return { kind: 'absent' };
  const since = Math.max(deployed, known.knownSince ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(since)) return { kind: 'unknown' };
  const endsAt = soakMs === 0 ? since : Math.ceil((since + soakMs) / MINUTE_MS) * MINUTE_MS;
  if (soakMs > 0 && now.getTime() < endsAt) return { kind: 'running', since, endsAt };
  // A deployment that GitHub listed is proven by that read. A reported one needs a later read, because GitHub may know another one.
  const provenBy = soakMs === 0 ? lastReport(reports, environment) : endsAt;
  const isProven =
    (soakMs > 0 || factExpiresAt(known) > now.getTime()) &&
    facts.withMinimumAge(provenBy, now).read('deployments', key) !== undefined;
  if (!isProven) return { kind: 'unproven', since, endsAt };
  const soak = { environment: key, commitSha: candidate.sha, from: since, until: endsAt };
  return { kind: 'completed', soak, isNew: true };
}
