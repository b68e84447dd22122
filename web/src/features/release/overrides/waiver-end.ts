export const WAIVER_ENDS = ['day', 'threeDays', 'week', 'own'] as const;
export type WaiverEnd = (typeof WAIVER_ENDS)[number];

const HOUR_MS = 3_600_000;
/** The clock of the browser may be a little ahead of that of the service, which accepts at most 7 days. */
const MARGIN_MS = 60_000;

const LENGTHS: Readonly<Record<Exclude<WaiverEnd, 'own'>, number>> = {
  day: 24 * HOUR_MS,
  threeDays: 72 * HOUR_MS,
  week: 168 * HOUR_MS - MARGIN_MS,
};

/** Returns when a waiver ends. `own` is the value of a date and time field. Null if it is not complete. */
export function findEnd(choice: WaiverEnd, own: string, now: number): string | null {
  const time = choice === 'own' ? Date.parse(own) : now + LENGTHS[choice];
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
