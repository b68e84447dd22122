const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** Formats a time relative to `now`, both in milliseconds, for example "3 min. ago". Below a minute it is "now". */
export function formatRelative(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1_000);
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  return unit ? RELATIVE.format(Math.trunc(seconds / unit[1]), unit[0]) : RELATIVE.format(0, 'second');
}

/** Formats a time in milliseconds with date, seconds and time zone of the reader. */
export const formatExact = (time: number): string => EXACT.format(time);
