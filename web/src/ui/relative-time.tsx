import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/server-clock.js';
import { formatDuration, formatExact, formatMoment, formatRelative } from './format-time.js';

const REFRESH_MS = 30_000;

let now = serverNow();

/** Calls `onChange` every half minute, when all times are formatted again. */
function subscribe(onChange: () => void): () => void {
  if (Math.abs(serverNow() - now) >= REFRESH_MS) now = serverNow();
  const timer = setInterval(() => {
    now = serverNow();
    onChange();
  }, REFRESH_MS);
  return () => clearInterval(timer);
}

/** The present time in milliseconds, at most a minute old. The component is drawn again every half minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** A time relative to now. Its title is the exact time in the time zone of the reader. */
export function RelativeTime({ date }: { readonly date: string }) {
  const current = useNow();
  const time = Date.parse(date);
  return (
    <time dateTime={date} title={formatExact(time)}>
      {formatRelative(time, current)}
    </time>
  );
}

const MINUTE_S = 60;

/** How long ago a time was, for example "2 d 5 h", and at least a minute. Its title is the exact time. */
export function Elapsed({ date }: { readonly date: string }) {
  const current = useNow();
  const time = Date.parse(date);
  const minutes = Math.max(Math.floor((current - time) / 1_000 / MINUTE_S), 1);
  return (
    <time dateTime={date} title={formatExact(time)}>
      {formatDuration(minutes * MINUTE_S)}
    </time>
  );
}

/** A time to the minute in the time zone of the reader, with its date if it is of another day. */
export function Moment({ date }: { readonly date: string }) {
  const current = useNow();
  const time = Date.parse(date);
  return (
    <time dateTime={date} title={formatExact(time)}>
      {formatMoment(time, current)}
    </time>
  );
}
