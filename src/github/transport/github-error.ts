/**
 * The reason why a call failed. `conflict` includes "exists already". After `unavailable` it is unknown whether a write took
 * effect.
 */
export type GitHubErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'off_host_redirect'
  | 'malformed';

interface GitHubErrorDetails {
  readonly status?: number;
  readonly retryAt?: Date;
  readonly cause?: unknown;
}

/** Errors after which a later attempt may succeed; also `unauthorized`, because a suspension of an installation may end. */
const TRANSIENT: readonly GitHubErrorKind[] = ['rate_limited', 'unavailable', 'timeout', 'malformed', 'unauthorized'];

/** The only error of the gateway. Its message names the call and contains no token, so it can be logged. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly status: number | null;
  /** The earliest time for another attempt; null if GitHub named none. */
  readonly retryAt: Date | null;

  constructor(
    readonly kind: GitHubErrorKind,
    message: string,
    details: GitHubErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status ?? null;
    this.retryAt = details.retryAt ?? null;
  }

  /** Whether the same call may succeed later. */
  get isTransient(): boolean {
    return TRANSIENT.includes(this.kind);
  }

  /** Returns the seconds from `now` until the next attempt; `otherwise` if GitHub named no time. */
  retryAfterSeconds(now: Date, otherwise: number): number {
    return this.retryAt === null ? otherwise : (this.retryAt.getTime() - now.getTime()) / 1_000;
  }

  static is(error: unknown, ...kinds: readonly GitHubErrorKind[]): error is GitHubError {
    return error instanceof GitHubError && kinds.includes(error.kind);
  }
}

/** The error for a caller whose signal was aborted, while other callers wait for the same call. */
export const stoppedWaiting = (): GitHubError => new GitHubError('timeout', 'the caller stopped waiting');
