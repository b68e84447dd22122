import type { Clock } from '../../config/clock.js';
import { GitHubError } from './github-error.js';
import { isPersonal } from './token-scope.js';

/** What GitHub last said of one budget of calls. */
export interface Budget {
  /** `app`, or `installation:<id>`. */
  readonly name: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetAt: Date | null;
  /** No call is made before this moment; null where calls may be made. */
  readonly closedUntil: Date | null;
}

interface Window {
  limit: number | null;
  remaining: number | null;
  resetAt: Date | null;
  closedUntil: Date | null;
  /** Refusals in a row that named no time to come back. */
  unexplained: number;
}

/** What an answer tells of the limits: its status, its headers, and whether its body speaks of the secondary limit. */
interface LimitedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const SECOND = 1000;
/** GitHub's rule for a secondary limit without a time: "wait for at least one minute", then longer each time. */
const SHORTEST_PAUSE_MS = 60 * SECOND;
const LONGEST_PAUSE_MS = 3600 * SECOND;

/**
 * Keeps the service within the limits of GitHub, budget by budget: `retry-after` first, then the reset of an
 * exhausted budget, else a minute that doubles with each further refusal.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export class RateLimits {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly clock: Clock) {}

  /** Refuses a call for as long as GitHub asked to be left alone. */
  admit(name: string): void {
    const closedUntil = this.windows.get(name)?.closedUntil ?? null;
    if (closedUntil !== null && closedUntil > this.clock.now()) throw closed(name, closedUntil);
  }

  /** Learns from an answer; throws where the answer is a refusal for its rate. */
  learn(name: string, answer: LimitedAnswer): void {
    const now = this.clock.now();
    const window = this.windowOf(name);
    window.limit = integerHeader(answer.headers, 'x-ratelimit-limit') ?? window.limit;
    window.remaining = integerHeader(answer.headers, 'x-ratelimit-remaining') ?? window.remaining;
    const reset = integerHeader(answer.headers, 'x-ratelimit-reset');
    window.resetAt = reset === null ? window.resetAt : new Date(reset * SECOND);
    const exhausted = integerHeader(answer.headers, 'x-ratelimit-remaining') === 0;
    if (isRateLimitResponse(answer, exhausted)) {
      const until = this.comeBackAt(window, answer.headers, exhausted, now);
      // Of several refusals of calls sent together the longest holds.
      window.closedUntil = laterOf(window.closedUntil, until);
      throw closed(name, window.closedUntil, answer.status);
    }
    if (answer.status < 400) window.unexplained = 0;
    // A host that is down and says when to come back is left alone by every call of the budget, not by this one alone.
    const backAt = answer.status >= 500 ? parseRetryAfter(answer.headers, now) : null;
    if (backAt !== null) window.closedUntil = laterOf(window.closedUntil, backAt);
    if (exhausted && window.resetAt !== null && window.resetAt > now) {
      window.closedUntil = laterOf(window.closedUntil, window.resetAt);
    }
  }

  /** The budgets of the app and of its installations. */
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

  private comeBackAt(window: Window, headers: Headers, exhausted: boolean, now: Date): Date {
    const retryAfter = parseRetryAfter(headers, now);
    if (retryAfter !== null) return retryAfter;
    if (exhausted && window.resetAt !== null && window.resetAt > now) return window.resetAt;
    // Calls that were under way together are refused together: that is one refusal, not several.
    if (window.closedUntil === null || window.closedUntil <= now) window.unexplained += 1;
    const pause = Math.min(SHORTEST_PAUSE_MS * 2 ** (window.unexplained - 1), LONGEST_PAUSE_MS);
    return new Date(now.getTime() + pause);
  }

  private windowOf(name: string): Window {
    let window = this.windows.get(name);
    if (window === undefined) {
      this.deletePersonal();
      window = { limit: null, remaining: null, resetAt: null, closedUntil: null, unexplained: 0 };
      this.windows.set(name, window);
    }
    return window;
  }

  /** A person's token is replaced every few hours: what was learnt of one is forgotten when it says nothing any more. */
  private deletePersonal(): void {
    const now = this.clock.now();
    for (const [name, { resetAt, closedUntil }] of this.windows) {
      const isOver = (resetAt ?? now) <= now && (closedUntil ?? now) <= now;
      if (isPersonal(name) && isOver) this.windows.delete(name);
    }
  }
}

/** The moment that `retry-after` names, in seconds or as a date (RFC 9110, 10.2.3); null where it names none. */
export function parseRetryAfter(headers: Headers, now: Date): Date | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return new Date(now.getTime() + Number(value) * SECOND);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : new Date(date);
}

function isRateLimitResponse({ status, headers, text }: LimitedAnswer, exhausted: boolean): boolean {
  if (status === 429) return true;
  return (
    status === 403 && (exhausted || headers.has('retry-after') || /secondary rate limit|abuse detection/i.test(text))
  );
}

function integerHeader(headers: Headers, name: string): number | null {
  const value = headers.get(name);
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

const laterOf = (known: Date | null, given: Date): Date => (known !== null && known > given ? known : given);

const closed = (name: string, until: Date, status?: number): GitHubError =>
  new GitHubError(
    'rate_limited',
    `GitHub asks ${isPersonal(name) ? 'a person' : name} to pause until ${until.toISOString()}`,
    {
      retryAt: until,
      ...(status === undefined ? {} : { status }),
    },
  );
