import type { Clock } from '../../config/clock.js';
import { GitHubError } from './github-error.js';
import { isPersonal } from './token-scope.js';

/** The state of one rate-limit budget by GitHub's last response. */
export interface Budget {
  /** `app`, or `installation:<id>`. */
  readonly name: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetAt: Date | null;
  /** No call is made before this time; null if calls are allowed. */
  readonly closedUntil: Date | null;
}

interface Window {
  limit: number | null;
  remaining: number | null;
  resetAt: Date | null;
  closedUntil: Date | null;
  /** The number of consecutive rejections without a time for the next attempt. */
  untimedRejections: number;
}

/** The parts of a response that state limits. Only the body mentions a secondary limit. */
interface LimitedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const SECOND = 1000;
/** GitHub's rule for a secondary limit without a time: "wait for at least one minute", then longer. */
const SHORTEST_PAUSE_MS = 60 * SECOND;
const LONGEST_PAUSE_MS = 3600 * SECOND;

/**
 * Enforces GitHub's rate limits for each budget: waits for `retry-after`, else until the reset of an exhausted budget, else
 * one minute, doubled with each further rejection.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export class RateLimits {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly clock: Clock) {}

  /** Throws if GitHub requested a pause that is not over. */
  assertAllowed(name: string): void {
    const closedUntil = this.windows.get(name)?.closedUntil ?? null;
    if (closedUntil !== null && closedUntil > this.clock.now()) throw rateLimited(name, closedUntil);
  }

  /** Saves the limits of a response. Throws `rate_limited` if the response is a rejection for a rate limit. */
  update(name: string, response: LimitedResponse): void {
    const now = this.clock.now();
    const window = this.getOrCreateWindow(name);
    window.limit = integerHeader(response.headers, 'x-ratelimit-limit') ?? window.limit;
    window.remaining = integerHeader(response.headers, 'x-ratelimit-remaining') ?? window.remaining;
    const reset = integerHeader(response.headers, 'x-ratelimit-reset');
    window.resetAt = reset === null ? window.resetAt : new Date(reset * SECOND);
    const exhausted = integerHeader(response.headers, 'x-ratelimit-remaining') === 0;
    if (isRateLimitResponse(response, exhausted)) {
      const until = this.nextCallAt(window, response.headers, exhausted, now);
      // Concurrent calls may be rejected with different times. The latest one counts.
      window.closedUntil = latest(window.closedUntil, until);
      throw rateLimited(name, window.closedUntil, response.status);
    }
    if (response.status < 400) window.untimedRejections = 0;
    // If GitHub is down and names a time, all calls of the budget wait for it.
    const backAt = response.status >= 500 ? parseRetryAfter(response.headers, now) : null;
    if (backAt !== null) window.closedUntil = latest(window.closedUntil, backAt);
    if (exhausted && window.resetAt !== null && window.resetAt > now) {
      window.closedUntil = latest(window.closedUntil, window.resetAt);
    }
  }

  /** Lists the budgets of the app and of its installations. */
  budgets(): readonly Budget[] {
    const now = this.clock.now();
    const shared = [...this.windows].filter(([name]) => !isPersonal(name));
    return shared.map(([name, { limit, remaining, resetAt, closedUntil }]) => ({
      name,
      limit,
      remaining,
      resetAt,
      closedUntil: closedUntil !== null && closedUntil > now ? closedUntil : null,
    }));
  }

  private nextCallAt(window: Window, headers: Headers, exhausted: boolean, now: Date): Date {
    const retryAfter = parseRetryAfter(headers, now);
    if (retryAfter !== null) return retryAfter;
    if (exhausted && window.resetAt !== null && window.resetAt > now) return window.resetAt;
    // Rejections of concurrent calls count as one.
    if (window.closedUntil === null || window.closedUntil <= now) window.untimedRejections += 1;
    const pause = Math.min(SHORTEST_PAUSE_MS * 2 ** (window.untimedRejections - 1), LONGEST_PAUSE_MS);
    return new Date(now.getTime() + pause);
  }

  private getOrCreateWindow(name: string): Window {
    let window = this.windows.get(name);
    if (window === undefined) {
      this.deletePersonal();
      window = { limit: null, remaining: null, resetAt: null, closedUntil: null, untimedRejections: 0 };
      this.windows.set(name, window);
    }
    return window;
  }

  /** Deletes expired windows of users' tokens, which are replaced every few hours. */
  private deletePersonal(): void {
    const now = this.clock.now();
    for (const [name, { resetAt, closedUntil }] of this.windows) {
      const isOver = (resetAt ?? now) <= now && (closedUntil ?? now) <= now;
      if (isPersonal(name) && isOver) this.windows.delete(name);
    }
  }
}

/** Reads the time of `retry-after`, which is in seconds or a date (RFC 9110, 10.2.3); null if there is none. */
export function parseRetryAfter(headers: Headers, now: Date): Date | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return new Date(now.getTime() + Number(value) * SECOND);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : new Date(date);
}

function isRateLimitResponse({ status, headers, text }: LimitedResponse, exhausted: boolean): boolean {
  if (status === 429) return true;
  return (
    status === 403 && (exhausted || headers.has('retry-after') || /secondary rate limit|abuse detection/i.test(text))
  );
}

function integerHeader(headers: Headers, name: string): number | null {
  const value = headers.get(name);
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

const latest = (known: Date | null, given: Date): Date => (known !== null && known > given ? known : given);

const rateLimited = (name: string, until: Date, status?: number): GitHubError =>
  new GitHubError(
    'rate_limited',
    `GitHub asks ${isPersonal(name) ? 'a user' : name} to pause until ${until.toISOString()}`,
    {
      retryAt: until,
      ...(status === undefined ? {} : { status }),
    },
  );
