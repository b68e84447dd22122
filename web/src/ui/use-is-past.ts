import { useEffect, useState } from 'react';
import { serverNow } from '../api/server-clock.js';

/** Timers stand still while a computer sleeps, so the time is checked at least this often. */
const MAX_TIMER_MS = 30_000;

/** Whether this time of the service has passed. It changes at that time by itself. False if there is no time. */
export function useIsPast(date: string | null): boolean {
  const time = date === null ? Number.POSITIVE_INFINITY : Date.parse(date);
  const [now, setNow] = useState(() => serverNow());
  useEffect(() => {
    if (time === Number.POSITIVE_INFINITY || time <= now) return undefined;
    const timer = setTimeout(() => setNow(serverNow()), Math.min(time - serverNow(), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [time, now]);
  return time <= now;
}
