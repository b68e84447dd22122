import type { Freeze } from './policy.js';

const DAY_MS = 86_400_000;
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The freezes that hold at this moment; days are UTC, both ends included. */
export const activeFreezes = (freezes: readonly Freeze[], now: Date): readonly Freeze[] =>
  freezes.filter(({ from, to }) => startOf(from) <= now.getTime() && now.getTime() < startOf(to) + DAY_MS);

/** The next moment at which a freeze begins or ends, in milliseconds since the epoch; Infinity where none does. */
export const nextFreezeBoundary = (freezes: readonly Freeze[], now: Date): number =>
  Math.min(
    ...freezes.flatMap(({ from, to }) => [startOf(from), startOf(to) + DAY_MS]).filter((at) => at > now.getTime()),
  );

const DAY = /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})$/;

/** Whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, from the year 1000 on. */
export function isCalendarDay(text: string): boolean {
  const { year = '', month = '', day = '' } = DAY.exec(text)?.groups ?? {};
  // Day 0 of the next month is the last one of this; months count from 0, so the number as written is the next one.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return year >= '1000' && month >= '01' && month <= '12' && day >= '01' && Number(day) <= lastDay;
}
