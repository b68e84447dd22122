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

/** A period in which a deployment was successful, by our clock. `to` is null while it lasts. */
export interface DeployedPeriod {
  readonly sha: Sha;
  readonly from: MomentRange;
  readonly to: MomentRange | null;
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
export function toPeriods({ value, moments = {} }: Observation<'deployments'>): readonly DeployedPeriod[] {
  const toRange = (time: string): MomentRange => (Object.hasOwn(moments, time) && moments[time]) || ANY_TIME;
  return value.flatMap(({ sha, periods }) =>
    periods.map(({ from, to }) => ({ sha, from: toRange(from), to: to === null ? null : toRange(to) })),
  );
}

/**
 * Returns since when one of these commits is the latest successful deployment, in milliseconds since the epoch; null if none is.
 * Where two readings are possible, the worse one counts: another commit may have been deployed last, and our commit late.
 */
export function deployedSince(periods: readonly DeployedPeriod[], shas: readonly Sha[]): number | null {
  const isOurs = ({ sha }: DeployedPeriod): boolean => shas.includes(sha);
  const toTime = (period: DeployedPeriod): number => (isOurs(period) ? period.from[0] : period.from[1]);
  const [latest, ...older] = [...periods].sort((one, other) => {
    const [a, b] = [toTime(one), toTime(other)];
    return a === b ? Number(isOurs(one)) - Number(isOurs(other)) : a < b ? 1 : -1;
  });
  if (!latest || !isOurs(latest) || latest.to !== null) return null;
  let first = latest;
  for (const period of older) {
    // A deployment that ends with the success of the next one leaves no gap. GitHub tells whole seconds.
    if (!isOurs(period) || (period.to !== null && period.to[1] < first.from[0])) break;
    first = period;
  }
  return first.from[1];
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
