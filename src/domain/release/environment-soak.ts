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

/** A time as a range of moments of our clock, and as GitHub's own time if GitHub told it, in milliseconds since the epoch. */
interface Instant {
  readonly range: MomentRange;
  readonly github: number | null;
}

/** A period in which a deployment was successful. `to` is null while it lasts. */
interface DeployedPeriod {
  /** The deployment. A later period of one deployment follows its earlier ones. */
  readonly deploymentId: string;
  readonly sha: Sha;
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
  readonly now: Date;
}

const ANY_TIME: MomentRange = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const MINUTE_MS = 60_000;

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

/** Whether one time is certainly before the other. Two times of GitHub are compared by its own clock, which tells whole seconds. */
const isBefore = (one: Instant, other: Instant): boolean =>
  one.github !== null && other.github !== null ? one.github < other.github : one.range[1] < other.range[0];

/**
 * Returns since when one of these commits is the latest successful deployment, in milliseconds since the epoch; null if none is.
 * Where two readings are possible, the worse one counts: another commit may have been deployed last, and our commit late.
 */
function deployedSince(periods: readonly DeployedPeriod[], shas: readonly Sha[]): number | null {
  const others = periods.filter(({ sha }) => !shas.includes(sha));
  const [latest, ...older] = periods
    .filter(({ sha, from }) => shas.includes(sha) && others.every((other) => isBefore(other.from, from)))
    .toReversed()
    .sort(newestFirst);
  if (!latest || latest.to !== null) return null;
  let first = latest;
  for (const period of older) {
    // A deployment that ends when the next one succeeds leaves no gap.
    if (period.to !== null && isBefore(period.to, first.from)) break;
    first = period;
  }
  return first.from.range[1];
}

/** Of two deployments of the same moment, the one that has ended counts as the later one. */
function newestFirst(one: DeployedPeriod, other: DeployedPeriod): number {
  if (isBefore(one.from, other.from)) return 1;
  if (isBefore(other.from, one.from)) return -1;
  return one.deploymentId === other.deploymentId ? 0 : Number(one.to === null) - Number(other.to === null);
}

/**
 * Evaluates one soak. A gap in what is known restarts it. Time alone does not complete it: only a read at its end or later shows
 * that the candidate stayed.
 */
export function evaluateSoak(
  { environment, soakMs }: Soak,
  { candidate, completed, now }: SoakInput,
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
  const deployed = deployedSince(toPeriods(known), candidate.shas);
  if (deployed === null) return { kind: 'absent' };
  const since = Math.max(deployed, known.knownSince ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(since)) return { kind: 'unknown' };
  const endsAt = soakMs === 0 ? since : Math.ceil((since + soakMs) / MINUTE_MS) * MINUTE_MS;
  if (soakMs > 0 && now.getTime() < endsAt) return { kind: 'running', since, endsAt };
  const isProven =
    soakMs === 0
      ? factExpiresAt(known) > now.getTime()
      : facts.withMinimumAge(endsAt, now).read('deployments', key) !== undefined;
  if (!isProven) return { kind: 'unproven', since, endsAt };
  const soak = { environment: key, commitSha: candidate.sha, from: since, until: endsAt };
  return { kind: 'completed', soak, isNew: true };
}
