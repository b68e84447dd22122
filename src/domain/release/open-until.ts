/** How long one answer of the gate, and a statement about it, may stand. It is the lifetime of a fact from GitHub. */
export const MAX_OPEN_MS = 1_200_000;

/** A limit that is further away is rounded to this, so that answers within it are the same. */
const STEP_MS = 600_000;

/**
 * Returns the time until which an answer of an open gate stands: its own limit, but at most `MAX_OPEN_MS` from now. The gate of a shipped
 * release has no limit of its own.
 */
export function boundOpenUntil(openUntil: Date | number, now: Date): Date {
  const latest = now.getTime() + MAX_OPEN_MS;
  const limit = Number(openUntil);
  return new Date(limit <= latest ? limit : latest - (latest % STEP_MS));
}
