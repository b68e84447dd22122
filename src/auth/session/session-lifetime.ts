const HOUR_MS = 3_600_000;

/** How long a session lasts that nobody uses. */
export const IDLE_TIMEOUT_MS = 12 * HOUR_MS;

/** How long a session lasts that is in use all the time. */
export const ABSOLUTE_TIMEOUT_MS = 7 * 24 * HOUR_MS;

/** How long the code host's word lasts that a person belongs to an organization, and what they may read there. */
const MEMBERSHIP_LIFE_MS = 15 * 60_000;

/** How far the clocks of processes may differ that serve together. */
const CLOCKS_DIFFER_BY_MS = 60_000;

/** The moment from which on nothing can have happened yet, whatever process wrote it down. */
export const clockSkewLimit = (now: Date): Date => new Date(now.getTime() + CLOCKS_DIFFER_BY_MS);

/** Whether the host's word of that moment still counts; one of the future was written by a clock that was wrong. */
export function isFresh(word: Date | null, now: Date): boolean {
  const age = word === null ? Infinity : now.getTime() - word.getTime();
  return age > -CLOCKS_DIFFER_BY_MS && age < MEMBERSHIP_LIFE_MS;
}
