import type { Schema } from '../api/client.js';
import { formatDay } from '../ui/format-time.js';

type Days = Pick<Schema<'Freeze'>, 'from' | 'to'>;

const DAY_MS = 86_400_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

const UTC_DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const LOCAL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** The day in UTC, for example "2026-11-23". */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, DAY_LENGTH);

/** The midnight in UTC with which a day begins, in milliseconds. */
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The first moment of a freeze, and the first moment after it, in milliseconds. */
export const spanOf = ({ from, to }: Days): { readonly start: number; readonly end: number } => ({
  start: startOf(from),
  end: startOf(to) + DAY_MS,
});

/** The days until a freeze begins, at least 1. 0 if it holds, null if it is over. */
export function daysUntil({ from, to }: Days, now: number): number | null {
  const today = dayOf(now);
  if (to < today) return null;
  return from <= today ? 0 : (startOf(from) - startOf(today)) / DAY_MS;
}

/** Where a freeze lies on a line of days that begins today. All numbers are days. Null if it lies outside. */
export function placeOnLine(
  freeze: Days,
  now: number,
  length: number,
): { readonly start: number; readonly length: number } | null {
  const today = startOf(dayOf(now));
  const { start, end } = spanOf(freeze);
  const first = Math.max(0, (start - today) / DAY_MS);
  const last = Math.min(length, (end - today) / DAY_MS);
  return first < last ? { start: first, length: last - first } : null;
}

/** Formats the first and the last day of a freeze. */
export const formatDays = ({ from, to }: Days): string =>
  from === to ? formatDay(from) : UTC_DAY.formatRange(startOf(from), startOf(to));

/** Formats the same span in the time zone of the reader, with minutes. */
export function formatLocalSpan(days: Days): string {
  const { start, end } = spanOf(days);
  return LOCAL.formatRange(start, end);
}
