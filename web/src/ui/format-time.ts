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

const DURATION_UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration by its two greatest units, for example "2 d 5 h". Smaller units are left out. */
export function formatDuration(seconds: number): string {
  const first = DURATION_UNITS.findIndex(([, length]) => seconds >= length);
  if (first === -1) return '0 s';
  let rest = Math.floor(seconds);
  const parts = DURATION_UNITS.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest %= length;
    return count > 0 ? `${count} ${unit}` : '';
  });
  return parts.filter(Boolean).join(' ');
}

const UTC = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** Formats a time in milliseconds in UTC, where the service counts in UTC days. */
export const formatUtc = (time: number): string => `${UTC.format(time)} UTC`;

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a day in UTC, given as a time in milliseconds or as a text such as "2026-09-30". */
export const formatDay = (day: number | string): string => DAY.format(typeof day === 'string' ? Date.parse(day) : day);
