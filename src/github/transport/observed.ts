import type { Clock } from '../../config/clock.js';

/**
 * A value as the code host gave it. `observedAt` was taken before the first request was sent: what changed after it
 * may be missing from the value, what changed before it is not.
 */
export interface Observed<T> {
  readonly value: T;
  readonly observedAt: Date;
}

export async function observe<T>(clock: Clock, read: () => Promise<T>): Promise<Observed<T>> {
  const observedAt = clock.now();
  return { value: await read(), observedAt };
}
