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

const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a time in milliseconds to the minute, for example "2:32 PM". A time of another day than `now` has its date. */
export const formatMoment = (time: number, now: number): string =>
  (new Date(time).toDateString() === new Date(now).toDateString() ? CLOCK : MOMENT).format(time);

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a day that the service counts in UTC, for example "Dec 20, 2026". */
export const formatDay = (time: number): string => DAY.format(time);
