import type { Schema } from '../api/client.js';
import { formatDay } from '../ui/format-time.js';

type Days = Pick<Schema<'Freeze'>, 'from' | 'to'>;

const DAY_MS = 86_400_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

const UTC_DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const LOCAL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** The day in UTC, for example "2026-11-23". */
export const toDay = (time: number): string => new Date(time).toISOString().slice(0, DAY_LENGTH);

/** The midnight in UTC with which a day begins, in milliseconds. */
const toStart = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The first moment of a freeze, and the first moment after it, in milliseconds. */
export const toSpan = ({ from, to }: Days): { readonly start: number; readonly end: number } => ({
  start: toStart(from),
  end: toStart(to) + DAY_MS,
});

/** The days until a freeze begins, at least 1. 0 if it holds, null if it is over. */
export function daysUntil({ from, to }: Days, now: number): number | null {
  const today = toDay(now);
  if (to < today) return null;
  return from <= today ? 0 : (toStart(from) - toStart(today)) / DAY_MS;
}

/** Where a freeze lies on a line of days that begins today. All numbers are days. Null if it lies outside. */
export function placeOnLine(
  freeze: Days,
  now: number,
  length: number,
): { readonly start: number; readonly length: number } | null {
  const today = toStart(toDay(now));
  const { start, end } = toSpan(freeze);
  const first = Math.max(0, (start - today) / DAY_MS);
  const last = Math.min(length, (end - today) / DAY_MS);
  return first < last ? { start: first, length: last - first } : null;
}

/** Formats the first and the last day of a freeze. */
export const formatDays = ({ from, to }: Days): string =>
  from === to ? formatDay(from) : UTC_DAY.formatRange(toStart(from), toStart(to));

/** Formats the same span in the time zone of the reader, with minutes. */
export function formatLocalSpan(days: Days): string {
  const { start, end } = toSpan(days);
  return LOCAL.formatRange(start, end);
}
