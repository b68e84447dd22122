/**
 * Why GitHub gave no answer that counts.
 * `conflict` also stands for "exists already"; `unavailable` leaves open whether a write took effect.
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

/** What may well succeed when it is tried again later. `unauthorized` counts: a suspended installation is given back. */
const PASSING: readonly GitHubErrorKind[] = ['rate_limited', 'unavailable', 'timeout', 'malformed', 'unauthorized'];

/** The one failure of the gateway. Its message is fit for logs: it names the call and never carries a token. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly status: number | null;
  /** Before this moment another try is pointless; null where GitHub said nothing about it. */
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

  /** Whether GitHub may answer the same call later; where it may not, it said what it has to say. */
  get isTransient(): boolean {
    return PASSING.includes(this.kind);
  }

  /** Seconds from `now` until another try makes sense, as far as GitHub said so. */
  retryAfterSeconds(now: Date, otherwise: number): number {
    return this.retryAt === null ? otherwise : (this.retryAt.getTime() - now.getTime()) / 1_000;
  }

  static is(error: unknown, ...kinds: readonly GitHubErrorKind[]): error is GitHubError {
    return error instanceof GitHubError && kinds.includes(error.kind);
  }
}

/** For a caller who gives up while others wait on for the same answer. */
export const stoppedWaiting = (): GitHubError => new GitHubError('timeout', 'the caller stopped waiting');
