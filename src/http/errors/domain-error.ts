import type { ErrorCode } from './error-codes.js';

/** The HTTP status of each expected error. */
const STATUS_BY_CODE = {
  invalid: 400,
  unauthenticated: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
} as const;

export type DomainErrorCode = keyof typeof STATUS_BY_CODE;

export interface DomainErrorOptions extends ErrorOptions {
  /** When a retry makes sense, sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The cause, sent as `X-Error-Code`, if a route has several causes of this status. */
  readonly errorCode?: ErrorCode;
  /** More headers of the answer, such as `WWW-Authenticate` on a 401. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected error. Its message is written for the caller and is sent unchanged. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    { retryAfterSeconds, errorCode, headers = {}, ...options }: DomainErrorOptions = {},
  ) {
    super(message, options);
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
      ...(errorCode !== undefined && { 'X-Error-Code': errorCode }),
    };
  }

  get status(): number {
    return STATUS_BY_CODE[this.code];
  }
}

/**
 * Creates the error for a release that does not exist, belongs to another workspace, or is in a repository that the
 * user cannot read. The caller cannot distinguish them.
 */
export const releaseNotFound = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such release, or the user cannot read it.');

/**
 * Creates the error for a repository that does not exist, belongs to another workspace, or cannot be read by the user.
 * The caller cannot distinguish them.
 */
export const repositoryNotFound = (): DomainError => new DomainError('not_found', 'There is no such repository.');

export const appNotInstalled = (): DomainError =>
  new DomainError('conflict', 'The app is not installed for the organization, or suspended.', {
    errorCode: 'app_not_installed',
  });

/** An unexpected error on a route with its own message for it. */
export class UnexpectedError extends Error {
  override readonly name = 'UnexpectedError';

  /**
   * The caller gets the message. The cause is only logged. If the cause is an expected error, that one is sent instead.
   */
  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
