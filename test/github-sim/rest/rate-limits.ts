import type { TimeSource } from '../state/simulated-github-state.js';

interface Window {
  used: number;
  readonly resetsAt: number;
}

const HOUR_S = 3600;

/** The primary rate limit: a number of requests per hour for each token. */
export class RateLimits {
  limit = 5000;
  private readonly windows = new Map<string, Window>();

  constructor(private readonly time: TimeSource) {}

  /** Whether the holder has a request left. `spend` uses it. */
  hasLeft(holder: string): boolean {
    return this.window(holder).used < this.limit;
  }

  spend(holder: string): void {
    this.window(holder).used += 1;
  }

  /** Uses up the requests of this hour. */
  exhaust(holder: string): void {
    this.window(holder).used = this.limit;
  }

  state(holder: string) {
    const { used, resetsAt } = this.window(holder);
    return { limit: this.limit, used, remaining: Math.max(0, this.limit - used), reset: resetsAt };
  }

  headers(holder: string): Record<string, string> {
    const { limit, used, remaining, reset } = this.state(holder);
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-resource': 'core',
    };
  }

  private window(holder: string): Window {
    const now = Math.floor(this.time.now().getTime() / 1000);
    const current = this.windows.get(holder);
    if (current && current.resetsAt > now) return current;
    const fresh = { used: 0, resetsAt: now + HOUR_S };
    this.windows.set(holder, fresh);
    return fresh;
  }
}
