import pTimeout from 'p-timeout';

/** Returns the result, or undefined after the deadline or an error. The work continues and logs its own errors. */
export const withinDeadline = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  pTimeout(work, { milliseconds: Number.POSITIVE_INFINITY, signal }).catch(() => undefined);
