const SECOND_MS = 1_000;

let offsetMs = 0;

/**
 * Sets the clock by the `Date` header of a response that was just received. The header has whole seconds; the end of its second is used, so
 * that an answer looks expired a little early rather than late.
 */
export function setServerClock(date: string | null, now = Date.now()): void {
  const time = Date.parse(date ?? '');
  if (!Number.isNaN(time)) offsetMs = time + SECOND_MS - now;
}

/** Returns the time of the service at a time of this computer's clock, both in milliseconds. */
export const toServerTime = (time: number): number => time + offsetMs;

/** The present time of the service in milliseconds, regardless of the clock of this computer. */
export const serverNow = (): number => toServerTime(Date.now());
