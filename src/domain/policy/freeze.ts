import type { Freeze } from './policy.js';

const DAY_MS = 86_400_000;
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The freezes that hold at this moment; days are UTC, both ends included. */
export const freezesAt = (freezes: readonly Freeze[], now: Date): readonly Freeze[] =>
  freezes.filter(({ from, to }) => startOf(from) <= now.getTime() && now.getTime() < startOf(to) + DAY_MS);

/** The next moment at which a freeze begins or ends, in milliseconds since the epoch; Infinity where none does. */
export const nextFreezeBoundary = (freezes: readonly Freeze[], now: Date): number =>
  Math.min(
    ...freezes.flatMap(({ from, to }) => [startOf(from), startOf(to) + DAY_MS]).filter((at) => at > now.getTime()),
  );
