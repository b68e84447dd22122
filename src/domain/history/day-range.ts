import { isCalendarDay } from '../policy/calendar-day.js';

/** Days in UTC as `YYYY-MM-DD`, both included; null leaves that end open. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

/** What is wrong with the days, in one sentence; null where nothing is. */
export function dayRangeProblem({ from, to }: DayRange): string | null {
  if (from !== null && !isCalendarDay(from)) return 'from must be a day that exists, as YYYY-MM-DD.';
  if (to !== null && !isCalendarDay(to)) return 'to must be a day that exists, as YYYY-MM-DD.';
  // Days with years of four digits are ordered as their texts are.
  return from !== null && to !== null && from > to ? 'from must not be after to.' : null;
}
