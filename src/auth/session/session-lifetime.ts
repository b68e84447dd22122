const HOUR_MS = 3_600_000;

/** How long a session without requests is valid. */
export const IDLE_TIMEOUT_MS = 12 * HOUR_MS;

/** How long a session is valid at most. */
export const ABSOLUTE_TIMEOUT_MS = 7 * 24 * HOUR_MS;

/** How long a confirmed membership, and the user's repository access, is fresh. */
const MEMBERSHIP_LIFETIME_MS = 15 * 60_000;

/** How much the clocks of the service's processes may differ. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Returns the time after which no stored time can be correct, even if another process wrote it. */
export const clockSkewLimit = (now: Date): Date => new Date(now.getTime() + MAX_CLOCK_SKEW_MS);

/** Returns the times between which an observation is fresh. One in the future was written with a wrong clock and is stale. */
export const freshTimes = (now: Date): { readonly after: Date; readonly before: Date } => ({
  after: new Date(now.getTime() - MEMBERSHIP_LIFETIME_MS),
  before: clockSkewLimit(now),
});

/** Returns whether an observation at this time is fresh. */
export function isFresh(observedAt: Date | null, now: Date): boolean {
  const { after, before } = freshTimes(now);
  return observedAt !== null && observedAt > after && observedAt < before;
}
