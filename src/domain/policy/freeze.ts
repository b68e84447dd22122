import type { Freeze } from './policy.js';

const DAY_MS = 86_400_000;
const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Returns the freezes that are active now. Days are UTC, and both ends are included. */
export const activeFreezes = (freezes: readonly Freeze[], now: Date): readonly Freeze[] =>
  freezes.filter(({ from, to }) => startOfDay(from) <= now.getTime() && now.getTime() < startOfDay(to) + DAY_MS);

/** Returns the next start or end of a freeze, in milliseconds since the epoch. Infinity if there is none. */
export const nextFreezeBoundary = (freezes: readonly Freeze[], now: Date): number =>
  Math.min(
    ...freezes
      .flatMap(({ from, to }) => [startOfDay(from), startOfDay(to) + DAY_MS])
      .filter((at) => at > now.getTime()),
  );

const DAY = /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})$/;

/** Returns whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, from the year 1000. */
export function isCalendarDay(text: string): boolean {
  const { year = '', month = '', day = '' } = DAY.exec(text)?.groups ?? {};
  // Day 0 of the next month is the last one of this; months count from 0, so the number as written is the next one.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return year >= '1000' && month >= '01' && month <= '12' && day >= '01' && Number(day) <= lastDay;
}
