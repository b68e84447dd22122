import type { Clock } from '../../config/clock.js';

/** Allows a burst of `capacity`, then `perSecond`. */
export class TokenBucket {
  #tokens: number;
  #countedAt: number;

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#tokens = capacity;
    this.#countedAt = clock.now().getTime();
  }

  /** Takes one, or says that there is none. */
  take(): boolean {
    const now = this.clock.now().getTime();
    // A clock that is set back gives nothing, and takes nothing away.
    const seconds = Math.max(0, now - this.#countedAt) / 1000;
    this.#tokens = Math.min(this.capacity, this.#tokens + seconds * this.perSecond);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
